import type { Outcome } from '../../contract/outcomes.ts';
import { isNoPart } from '../conditions.ts';
import { prepared } from '../database/prepared.ts';
import type { Db } from '../schema.ts';

/** Rows that ended in one span of time with one outcome. */
export interface EndCount {
  /** Start of the span, ms: a multiple of its width. */
  readonly at: number;
  readonly outcome: Outcome;
  readonly rows: number;
}

/**
 * Counts the rows that ended from `from` (inclusive) to `to` (exclusive), by outcome. Parts of split texts are left
 * out, because users count the rows of their manifest.
 */
const selectSpan = prepared((db, { batch, from, to }: { batch: string; from: number; to: number }) =>
  db
    .selectFrom('rows')
    .select((eb) => [eb.ref('outcome').$notNull().as('outcome'), eb.fn.countAll<number>().as('rows')])
    .where('batch', '=', batch)
    .where('ended_at', '>=', from)
    .where('ended_at', '<', to)
    .where(isNoPart('rows'))
    .groupBy('outcome')
    .orderBy('outcome'),
);

/**
 * Counts the rows of a batch by end time and outcome, in spans of `widthMs`. Reads each row, one span at a time: one
 * query for all spans would sort all rows first, in 60 MB for a million rows.
 */
export async function countEnds(
  db: Db,
  batch: string,
  { first, last }: EndRange,
  widthMs: number,
): Promise<readonly EndCount[]> {
  const counts: EndCount[] = [];
  for (let at = first - (first % widthMs); at <= last; at += widthMs)
    for (const found of await selectSpan(db, { batch, from: at, to: at + widthMs })) counts.push({ at, ...found });
  return counts;
}

/** The range of end times to count, ms, both inclusive. */
export interface EndRange {
  readonly first: number;
  readonly last: number;
}

/**
 * Returns when the first and the last row of the batch ended, parts of split texts included; null if none has ended.
 */
export async function endRange(db: Db, batch: string): Promise<EndRange | null> {
  const edge = (order: 'asc' | 'desc'): Promise<{ ended_at: number | null } | undefined> =>
    db
      .selectFrom('rows')
      .select('ended_at')
      .where('batch', '=', batch)
      .where('ended_at', 'is not', null)
      .orderBy('ended_at', order)
      .limit(1)
      .executeTakeFirst();
  const [first, last] = [await edge('asc'), await edge('desc')];
  return first?.ended_at == null || last?.ended_at == null ? null : { first: first.ended_at, last: last.ended_at };
}
