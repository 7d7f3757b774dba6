import { isNoPart, isRunning } from '../conditions.ts';
import { prepared, preparedEach, preparedOne } from '../database/prepared.ts';
import type { Db, Tx } from '../schema.ts';
import type { Step } from '../../contract/row-kinds.ts';

/** Rows that ended lately, ms. `first`, `last`: when the first and the last of them did; 0 if there are none. */
export interface RecentEnds {
  readonly rows: number;
  readonly first: number;
  readonly last: number;
}

/** The request of an open row that was recorded first of all whose jobs still run. */
export interface OldestRow {
  readonly row: number;
  readonly id: string;
  /** The row that it is a part of; null if it is none. */
  readonly partOf: number | null;
  readonly step: Step;
  /** When it was recorded, ms. */
  readonly since: number;
  /** From when the deadline of its job counts, ms: since it was accepted, or since somebody has waited for it again. */
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

/** Rows of the batch that ended at this moment or since. Reads each. */
export async function recentEnds(db: Db, batch: string, since: number): Promise<RecentEnds> {
  const [found] = await selectEnds(db, { batch, since });
  return { rows: found?.rows ?? 0, first: found?.first ?? 0, last: found?.last ?? 0 };
}

function oldestOf(db: Db | Tx, { batch }: { readonly batch: string }) {
  return (
    db
      .selectFrom('charges as c')
      // Looked up request by request: few run, and open rows may be many.
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
/** The same of many batches. */
export const selectOldestOfEach = preparedEach(oldestOf);

/** The open row that has waited for its job the longest; undefined if no job runs. */
export async function oldestRow(db: Db, batch: string): Promise<OldestRow | undefined> {
  const found = await selectOldest(db, { batch });
  if (found === undefined) return undefined;
  const { row, id, part_of: partOf, step, intent_at: since } = found;
  const waitedSince = Math.max(found.wait_since ?? 0, found.verdict_at ?? since);
  return { row, id, partOf, step, since, waitedSince };
}
