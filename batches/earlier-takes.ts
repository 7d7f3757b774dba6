import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { defined } from '../contract/defined.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { ResultFile } from '../ledger/record-types.ts';
import type { EarlierTake } from '../policy/earlier-take.ts';
import { resultOfTake } from '../policy/earlier-take.ts';
import { storedContent } from './damaged-results.ts';
import type { SearchedStore } from './find-loss.ts';
import { findTake, type TakeByName } from './find-take.ts';
import type { BatchRecord, RowStanding } from '../ledger/record-types.ts';

/** A take to go back to, and the text of its result if that is one. */
export interface FoundTake extends EarlierTake {
  readonly text?: string;
}

/** Result of {@link findTakes}: rows in order of the manifest with their takes, or the word that is neither. */
export type TakesByName =
  | { readonly type: 'found'; readonly rows: readonly number[]; readonly takes: ReadonlyMap<number, number> }
  | { readonly type: 'missing'; readonly words: readonly string[] }
  | Exclude<TakeByName, { readonly type: 'found' | 'no-row' }>
  /** The same row with two takes. */
  | { readonly type: 'two-takes'; readonly word: string };

/** Finds rows (`ROW`) and their takes (`ROW/TAKE`), separated by commas. */
export async function findTakes(
  ledger: Pick<Ledger, 'findRowById' | 'readRow'>,
  batch: Pick<BatchRecord, 'name' | 'rows'>,
  texts: readonly string[],
): Promise<TakesByName> {
  const rows = new Set<number>();
  const takes = new Map<number, number>();
  const missing: string[] = [];
  for (const text of texts) {
    // An id may itself contain a comma.
    const whole = await findTake(ledger, batch, text);
    const words = whole.type === 'found' ? [text] : text.split(',').map((word) => word.trim());
    for (const word of words.filter((each) => each !== '')) {
      const found = await findTake(ledger, batch, word);
      if (found.type === 'no-row') {
        missing.push(word);
        continue;
      }
      if (found.type !== 'found') return found;
      const before = takes.get(found.row);
      if (rows.has(found.row) && before !== found.take) return { type: 'two-takes', word };
      rows.add(found.row);
      if (found.take !== undefined) takes.set(found.row, found.take);
    }
  }
  if (missing.length > 0) return { type: 'missing', words: missing };
  return { type: 'found', rows: [...rows].sort((a, b) => a - b), takes };
}

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
