import type { Ledger } from '../../ledger/ledger.ts';
import type { BatchRecord } from '../../ledger/record-types.ts';
import { findTake, type TakeByName } from './find-take.ts';

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
