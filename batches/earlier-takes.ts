import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { defined } from '../contract/defined.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { ResultFile, RowStanding } from '../ledger/record-types.ts';
import { resultOfTake, type EarlierTake } from '../policy/earlier-take.ts';
import { storedContent } from './damaged-results.ts';
import type { SearchedStore } from './find-loss.ts';
import type { FoundTake } from './redrive-draft.ts';

/** What is known about an earlier take of a row besides its attempts. Throws if the store is not that of the ledger. */
export async function readTake(
  { row, charges }: RowStanding,
  take: number,
  {
    ledger,
    batch,
    store,
  }: { readonly ledger: Pick<Ledger, 'takesOf'>; readonly batch: string; readonly store: SearchedStore },
): Promise<FoundTake> {
  const takes = await ledger.takesOf(batch, row.row);
  const editedBy = takes.find((one) => one.take > take && one.before.spec !== undefined)?.take;
  const file = row.parts === null ? resultOfTake(row.spec, charges, take)?.file : undefined;
  if (file == null) return { take, ...defined({ editedBy }) };
  const is = await lossOfFile(file, store);
  const text = is === undefined && file.extension === 'txt' ? await readText(join(store.folder, file.key)) : undefined;
  return { take, ...defined({ editedBy, is, text }) };
}

async function lossOfFile(file: ResultFile, store: SearchedStore): Promise<EarlierTake['is']> {
  const content = await storedContent(store.folder, file);
  if (content === file.sha256) return undefined;
  if (file.removedAt !== undefined) return 'removed';
  await store.requireOwn();
  return content === undefined ? 'missing' : 'altered';
}

/** What a transcript says: its file ends with a line feed. */
async function readText(path: string): Promise<string> {
  return (await readFile(path, 'utf8')).replace(/\n$/u, '');
}
