import { OUTCOMES, ROW_STATES, type Outcome, type RowState } from '../contract/outcomes.ts';
import { sql } from 'kysely';
import { PROCESS_ENDED } from '../policy/reconcile/process-end.ts';
import { isNoPart } from './conditions.ts';
import { prepared } from './prepared.ts';
import type { Counts, Money } from './record-types.ts';
import { readSums } from './sums.ts';
import type { Db, Tx } from './schema.ts';
import type { RowCountsTable } from './tables/batches.ts';

/** Pseudo-outcome for rows that are not chosen, which also count as skipped. */
const NOT_CHOSEN = 'not chosen';
/** How rows end whose answer is lost, as `--on-unknown` says. */
const LOST = ['unknown', 'failed'] as const satisfies readonly Outcome[];

type Standing = RowCountsTable['standing'] | typeof NOT_CHOSEN;

/** One statement, so that both counts show one moment. */
const selectCounts = prepared((db, { batch }: { batch: string }) =>
  db
    .selectFrom('row_counts')
    .select((eb) => [eb.ref('standing').$castTo<Standing>().as('standing'), 'n', 'recent'])
    .where('batch', '=', batch)
    .unionAll(
      db
        .selectFrom('reasons')
        .select([sql<Standing>`${sql.lit(NOT_CHOSEN)}`.as('standing'), 'ended as n', sql<number>`0`.as('recent')])
        .where('batch', '=', batch)
        .where('class', '=', sql.lit('NotChosen')),
    ),
);

type Count = Pick<RowCountsTable, 'n' | 'recent'> & { readonly standing: Standing };

/** Rows of the batch by outcome and, for open ones, by state. */
export async function countRows(db: Db | Tx, batch: string): Promise<Counts> {
  const counts = byStanding(await selectCounts(db, { batch }), ({ n }) => n);
  const outcomes = Object.fromEntries(OUTCOMES.map((name) => [name, counts.get(name) ?? 0]));
  const states = Object.fromEntries(ROW_STATES.map((name) => [name, counts.get(name) ?? 0]));
  const notChosen = counts.get(NOT_CHOSEN) ?? 0;
  const total = [...counts.values()].reduce((sum, n) => sum + n, 0) - notChosen;
  return {
    total,
    notChosen,
    states: states as Record<RowState, number>,
    outcomes: outcomes as Record<Outcome, number>,
  };
}

/** Rows by outcome that ended since the batch was last opened again. */
export async function countRecent(tx: Tx, batch: string): Promise<ReadonlyMap<string, number>> {
  return byStanding(await selectCounts(tx, { batch }), ({ recent }) => recent);
}

/** Those of them whose answer was lost by the end of a process, see {@link isProcessEnd}. Reads each failed row. */
export async function countProcessEnds(db: Db | Tx, batch: string): Promise<number> {
  const { n } = await db
    .selectFrom('rows')
    .innerJoin('batches', 'batches.name', 'rows.batch')
    .select((eb) => eb.fn.countAll<number>().as('n'))
    .where('rows.batch', '=', batch)
    .where('rows.outcome', 'in', LOST)
    .where(isNoPart('rows'))
    // With a plus, so that the index of outcomes is used: that of times has all rows that succeeded.
    .where(sql<boolean>`+rows.ended_at >= coalesce(batches.reopened_at, 0)`)
    .where(sql`json_extract(rows.failure, '$.cause')`, '=', PROCESS_ENDED.cause)
    .where(sql`json_extract(rows.failure, '$.class')`, '=', PROCESS_ENDED.class)
    .executeTakeFirstOrThrow();
  return n;
}

/** Rows of the batch that have no outcome. */
export async function countOpen(tx: Tx, batch: string): Promise<number> {
  const { states } = await countRows(tx, batch);
  return Object.values(states).reduce((sum, n) => sum + n, 0);
}

/** What the batch has cost, is about to cost and may have cost. */
export async function sumMoney(db: Db, batch: string): Promise<Money> {
  const sums = await readSums(db, batch);
  return {
    charged: sums.charged,
    reserved: sums.sending_quoted + sums.promised,
    uncertain: sums.unknown_quoted,
    estimated: sums.sending > 0 || sums.unknown > 0 || sums.by_quote > 0,
    saved: sums.saved,
    damaged: sums.damaged,
  };
}

function byStanding(counts: readonly Count[], valueOf: (count: Count) => number): ReadonlyMap<string, number> {
  return new Map(counts.map((count) => [count.standing, valueOf(count)]));
}
