import { isNoPart, isRunning } from '../conditions.ts';
import { prepared, preparedEach, preparedOne } from '../database/prepared.ts';
import type { Db, Tx } from '../schema.ts';
import type { Step } from '../../contract/row-kinds.ts';

/** Rows that ended recently. */
export interface RecentEnds {
  readonly rows: number;
  /** When the first and the last of them ended, ms; 0 if there are none. */
  readonly first: number;
  readonly last: number;
}

/** The open row whose running job was requested first, and that request. */
export interface OldestRow {
  readonly row: number;
  readonly id: string;
  /** The split row that it is a part of; null if it is no part. */
  readonly partOf: number | null;
  readonly step: Step;
  /** When its intent was recorded, ms. */
  readonly since: number;
  /**
   * When the time for the job's deadline started, ms: when it was accepted, or when a person last chose to wait again.
   */
  readonly waitedSince: number;
}

const selectEnds = prepared((db, { batch, since }: { batch: string; since: number }) =>
  db
    .selectFrom('rows')
    .select(({ fn }) => [
      fn.countAll<number>().as('rows'),
      fn.min<number | null>('ended_at').as('first'),
      fn.max<number | null>('ended_at').as('last'),
    ])
    .where('batch', '=', batch)
    .where('ended_at', '>=', since)
    .where(isNoPart('rows')),
);

/** Counts the rows of the batch that ended at `since` (ms) or later. Reads each of them. */
export async function recentEnds(db: Db, batch: string, since: number): Promise<RecentEnds> {
  const [found] = await selectEnds(db, { batch, since });
  return { rows: found?.rows ?? 0, first: found?.first ?? 0, last: found?.last ?? 0 };
}

/** Selects the oldest request of a batch whose job runs. */
function oldestOf(db: Db | Tx, { batch }: { readonly batch: string }) {
  return (
    db
      .selectFrom('charges as c')
      // A cross join, so that rows are looked up by request: few jobs run, and open rows may be many.
      .crossJoin('rows as r')
      .select(['r.batch', 'r.row', 'r.id', 'r.part_of', 'r.wait_since', 'c.step', 'c.intent_at', 'c.verdict_at'])
      .where('c.batch', '=', batch)
      .where(isRunning('c'))
      .whereRef('r.batch', '=', 'c.batch')
      .whereRef('r.row', '=', 'c.row')
      // Nobody waits for the job of an overdue row.
      .where('r.outcome', 'is', null)
      .orderBy('c.intent_at')
      .orderBy('c.row')
      .limit(1)
  );
}

const selectOldest = preparedOne(oldestOf);
/** Selects the oldest request of each of many batches. */
export const selectOldestOfEach = preparedEach(oldestOf);

/** Returns the open row whose running job was requested first; undefined if no job runs. */
export async function oldestRow(db: Db, batch: string): Promise<OldestRow | undefined> {
  const found = await selectOldest(db, { batch });
  if (found === undefined) return undefined;
  const { row, id, part_of: partOf, step, intent_at: since } = found;
  const waitedSince = Math.max(found.wait_since ?? 0, found.verdict_at ?? since);
  return { row, id, partOf, step, since, waitedSince };
}
