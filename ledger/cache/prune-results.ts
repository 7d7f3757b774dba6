import { readSnapshot, write } from '../database/transactions.ts';
import type { Db, Tx } from '../schema.ts';
import { entriesOf, type ResultRecord } from './found-results.ts';
import { byItself } from '../../contract/actions.ts';
import type { AttemptKey } from '../../contract/batch.ts';
import { noteAction } from '../history/actions.ts';
import { toFile } from '../records.ts';
import { RowInTransaction } from '../rows/row-in-transaction.ts';
import { forgetResult, removed } from './kept-results.ts';

/**
 * Reads a page of the results last used at or before `before` (ms), each as the list of its entries, ordered by key.
 * `after`: the last key of the page before, initially empty. `max`: number of results.
 */
export async function resultsUnused(
  db: Db,
  before: number,
  after: string,
  max: number,
): Promise<readonly (readonly ResultRecord[])[]> {
  return readSnapshot(db, async (tx) => {
    const keys = await tx
      .selectFrom('results')
      .select('key')
      .where('key', '>', after)
      .groupBy('key')
      .having((eb) => eb.fn.max('used_at'), '<=', before)
      .orderBy('key')
      .limit(max)
      .execute();
    if (keys.length === 0) return [];
    const byKey = new Map<string, ResultRecord[]>(keys.map(({ key }) => [key, []]));
    for (const entry of await entriesOf(tx, [...byKey.keys()])) byKey.get(entry.key)?.push(entry);
    return [...byKey.values()];
  });
}

/** Removes results from the cache whose files are being removed, and marks the files as removed. */
export async function pruneResults(db: Db, results: readonly AttemptKey[], by = byItself(null)): Promise<void> {
  await write(db, async (tx) => {
    const now = tx.now();
    for (const result of results) {
      await forgetResult(tx, result);
      await markRemoved(tx, result, now);
    }
    for (const batch of new Set(results.map((one) => one.batch))) {
      const rows = results.flatMap((one) => (one.batch === batch ? [one.row] : []));
      await noteAction(tx, by, { kind: 'prune', batch, rows, details: { results: rows.length } });
    }
  });
}

/** Marks the attempt's file as removed, and also that of its row if it is the same file. */
async function markRemoved(tx: Tx, key: AttemptKey, now: number): Promise<void> {
  const row = await RowInTransaction.load(tx, key);
  const charge = row.chargeAt(key);
  const file = toFile(charge?.file ?? null);
  if (charge === undefined || file === null) return;
  const marked = JSON.stringify(removed(file, now));
  await row.changeCharge(charge, { file: marked });
  if (toFile(row.line.file)?.key === file.key) await row.change({ file: marked });
}
