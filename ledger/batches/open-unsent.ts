import { sql } from 'kysely';
import { byItself } from '../../contract/actions.ts';
import type { Subset } from '../../contract/subset.ts';
import { reopenBatch } from './change-batches.ts';
import { requireReopenable } from './read-batches.ts';
import { setBatch } from './set-batch.ts';
import { isPart } from '../conditions.ts';
import { noteAction } from '../history/actions.ts';
import { jsonOrNull } from '../records.ts';
import { updateRow } from '../rows/update-row.ts';
import type { RowKey } from '../rows/line-changes.ts';
import type { Db } from '../schema.ts';
import { preparedEach } from '../database/prepared.ts';
import { write } from '../database/transactions.ts';

/** What changes in a reopened row, besides its fencing token (`hold`). It keeps its take: nothing was sent in it. */
const OPENED = { outcome: null, failure: null, file: null, lane: null, promised: 0, ended_at: null };
/** Condition: never chosen (no end time), or over budget; without rows that have a request in flight or in doubt. */
const IS_UNSENT = sql<boolean>`rows.outcome = 'skipped' and (rows.ended_at is null or (
  rows.failure_class = 'OverBudget' and not exists (
    select 1 from charges c where c.batch = rows.batch and c.row = rows.row and c.state in ('sending', 'unknown'))))`;

/**
 * Reopens those of the given rows that `--limit`, `--sample` or the budget left out (they ended `skipped`), and with
 * them the batch, which then runs this subset. A row with a request in flight or in doubt stays as it is. One
 * transaction; returns the number of reopened rows. Throws {@link LedgerMisuse} for a batch that is loading or being
 * stopped.
 */
export async function openUnsent(
  db: Db,
  batch: string,
  subset: Subset | null,
  rows: readonly number[],
  by = byItself(null),
): Promise<number> {
  return write(db, async (tx) => {
    const { state } = await requireReopenable(tx, batch);
    await setBatch(tx, batch, { subset: jsonOrNull(subset ?? undefined) });
    const keys = rows.map((row) => ({ batch, row }));
    const unsent = await selectUnsent(tx, keys);
    // A split row then waits for its reopened parts.
    for (const line of [...unsent, ...(await selectUnsentParts(tx, keys))]) {
      await updateRow(tx, line, { ...OPENED, hold: line.hold + 1, updated_at: tx.now() }, line);
    }
    if (unsent.length === 0) return 0;
    await reopenBatch(tx, batch, state === 'closed');
    await noteAction(tx, by, { kind: 'extend', batch, rows: unsent.map(({ row }) => row) });
    return unsent.length;
  });
}

const selectUnsent = preparedEach((db, { batch, row }: RowKey) =>
  db.selectFrom('rows').selectAll().where('batch', '=', batch).where('row', '=', row).where(IS_UNSENT),
);

/** Selects the parts of a split row that were not sent. */
const selectUnsentParts = preparedEach((db, { batch, row }: RowKey) =>
  db
    .selectFrom('rows')
    .selectAll()
    .where('batch', '=', batch)
    .where('part_of', '=', row)
    .where(isPart('rows'))
    .where(IS_UNSENT)
    .orderBy('row'),
);
