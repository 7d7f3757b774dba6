import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { defined } from '../../contract/defined.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { ResultFile, RowStanding } from '../../ledger/record-types.ts';
import { filesBeside, resultOfTake, type EarlierTake } from '../../policy/redrive/earlier-take.ts';
import { storedContent } from './damaged-results.ts';
import { lossOf, type RowFiles, type SearchedStore } from './find-loss.ts';
import type { FoundTake } from './found-rows.ts';

/** Where a row is, and its files. */
interface Place {
  readonly ledger: Pick<Ledger, 'takesOf' | 'releasedFiles'>;
  readonly batch: string;
  readonly store: SearchedStore;
}

/**
 * What is known about an earlier take of a row besides its attempts. Lost subtitles of it that follow from its other files are
 * stored again. Throws if the store is not that of the ledger.
 */
export async function readTake(
  { row, charges }: RowStanding,
  take: number,
  { ledger, batch, store }: Place,
): Promise<FoundTake> {
  const takes = await ledger.takesOf(batch, row.row);
  const editedBy = takes.find((one) => one.take > take && one.before.spec !== undefined)?.take;
  const file = row.parts === null ? resultOfTake(row.spec, charges, take)?.file : undefined;
  if (file == null) return { take, ...defined({ editedBy }) };
  const released = await ledger.releasedFiles(batch, row.row);
  const before = takes.map((one) => [one.before.file, ...one.before.extraFiles]);
  const extraFiles = filesBeside(file, [...before, ...released.map(({ files }) => files)]);
  const text = file.extension === 'txt' ? await readText(file, store) : undefined;
  const is = await lossAt({ file, extraFiles, text: text ?? null }, store);
  return { take, ...defined({ editedBy, is, text }) };
}

async function lossAt(
  files: RowFiles & { readonly file: ResultFile },
  store: SearchedStore,
): Promise<EarlierTake['is']> {
  const { file } = files;
  if (file.removedAt !== undefined) {
    return (await storedContent(store.folder, file)) === file.sha256 ? undefined : 'removed';
  }
  const { is, texts } = await lossOf(files, store.folder);
  if (is !== undefined || texts.length > 0) await store.requireOwn();
  if (is === undefined) for (const text of texts) await store.rewrite?.(text);
  return is;
}

/** What a transcript says: its file ends with a line feed. Undefined: the file is lost. */
async function readText(file: ResultFile, { folder }: SearchedStore): Promise<string | undefined> {
  if ((await storedContent(folder, file)) !== file.sha256) return undefined;
  return (await readFile(join(folder, file.key), 'utf8')).replace(/\n$/u, '');
}
