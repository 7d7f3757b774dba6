import type { FailureClass } from '../../contract/failures.ts';
import { OUTCOMES, ROW_STATES, type Outcome, type RowState } from '../../contract/outcomes.ts';
import { sql, type RawBuilder, type Selectable } from 'kysely';
import { roundCredits } from '../../contract/price-units.ts';
import { OWN_CAUSES, PROCESS_ENDED } from '../../policy/reconcile/process-end.ts';
import { isChosen, isNoPart, isNotChosen } from '../conditions.ts';
import { prepared, preparedOne } from '../database/prepared.ts';
import type { Db, Tx } from '../schema.ts';
import type { RowCountsTable, SumsTable } from '../tables/batches.ts';
import { LedgerMisuse } from '../errors.ts';

/*
 * Counts and sums of a batch, mostly from tables that triggers keep up to date: `row_counts`, with a line for each
 * *standing* (the outcome of ended rows, the state of open ones) and failure reason, and `sums`, with one line.
 */

/** A batch's rows by state and outcome. Parts of rows do not count. */
export interface Counts {
  readonly total: number;
  /** Skipped rows that `--limit` or `--sample` left out. */
  readonly notChosen: number;
  /** Rows that the cache mode `only` skipped, for lack of an earlier result. */
  readonly notCached: number;
  /** Rows without an outcome, by state. */
  readonly states: Readonly<Record<RowState, number>>;
  readonly outcomes: Readonly<Record<Outcome, number>>;
}

/** A batch's spend, in credits. */
export interface Money {
  /** Sum over accepted and done attempts. */
  readonly charged: number;
  /** Quotes of attempts in flight; under a budget also those of the later steps of rows that have begun. */
  readonly reserved: number;
  /** Quotes of attempts whose outcome is unknown. */
  readonly uncertain: number;
  /** True if the sums include quotes rather than only the API's figures. */
  readonly estimated: boolean;
  /** Credits saved by reusing earlier results. */
  readonly saved: number;
  /** Requests made because the file of an earlier result was missing or altered; counted once per row and take. */
  readonly damaged: number;
}

/** Rows that failed for one reason. */
export interface ReasonCount {
  readonly class: FailureClass;
  /** In a few words: `403 from cdn.example`; empty if only the class is known. */
  readonly cause: string;
  /** Open rows, whose trouble may be temporary. */
  readonly open: number;
  readonly ended: number;
}

/** Total price of skipped rows, in credits, by reason; null if a price is unknown. */
export interface SkippedQuotes {
  readonly overBudget: number | null;
  readonly notChosen: number | null;
}

/** The outcomes of rows whose answer was lost; `--on-unknown` decides between them. */
const LOST = ['unknown', 'failed'] as const satisfies readonly Outcome[];

const selectCounts = prepared((db, { batch }: { batch: string }) =>
  db.selectFrom('row_counts').selectAll().where('batch', '=', batch),
);

/** Rows of the batch by outcome and, for open ones, by state. */
export async function counts(db: Db | Tx, batch: string): Promise<Counts> {
  return toCounts(await selectCounts(db, { batch }));
}

/** Converts the lines of a batch in `row_counts`. */
export function toCounts(lines: readonly Pick<RowCountsTable, 'standing' | 'class' | 'n'>[]): Counts {
  const known = byStanding(lines, ({ n }) => n);
  const outcomes = Object.fromEntries(OUTCOMES.map((name) => [name, known.get(name) ?? 0]));
  const states = Object.fromEntries(ROW_STATES.map((name) => [name, known.get(name) ?? 0]));
  const ofClass = (name: FailureClass): number =>
    lines.reduce((sum, line) => sum + (line.class === name ? line.n : 0), 0);
  return {
    total: lines.reduce((sum, { n }) => sum + n, 0),
    notChosen: ofClass('NotChosen'),
    notCached: ofClass('NotCached'),
    states: states as Record<RowState, number>,
    outcomes: outcomes as Record<Outcome, number>,
  };
}

/** Counts the rows that ended since the batch was last reopened, by outcome. */
export async function countRecent(tx: Tx, batch: string): Promise<ReadonlyMap<string, number>> {
  return byStanding(await selectCounts(tx, { batch }), ({ recent }) => recent);
}

/** Failure classes of rows that were deliberately not paid for, and none: these are no failures. */
const NO_FAILURES: readonly string[] = ['', 'OverBudget', 'NotChosen', 'NotCached'] satisfies (FailureClass | '')[];

/** Returns the most common reasons why rows failed, or are failing now, most rows first; at most `max`. */
export async function commonReasons(db: Db, batch: string, max: number): Promise<readonly ReasonCount[]> {
  const reasons = new Map<string, ReasonCount>();
  for (const { standing, class: name, cause, n } of await selectCounts(db, { batch })) {
    if (name === '' || NO_FAILURES.includes(name) || n === 0) continue;
    const key = JSON.stringify([name, cause]);
    const { open, ended } = reasons.get(key) ?? { open: 0, ended: 0 };
    const isOpen = (ROW_STATES as readonly string[]).includes(standing);
    reasons.set(key, { class: name, cause, open: isOpen ? open + n : open, ended: isOpen ? ended : ended + n });
  }
  return [...reasons.values()]
    .toSorted((one, other) => other.open + other.ended - one.open - one.ended || compare(one, other))
    .slice(0, max);
}

/** Orders reasons with equally many rows, so that the answer is always the same. */
function compare(one: ReasonCount, other: ReasonCount): number {
  const [first, second] = [one.class + one.cause, other.class + other.cause];
  return first < second ? -1 : first > second ? 1 : 0;
}

/** Counts failed rows whose answer was lost because a process ended; see `isProcessEnd`. Reads each failed row. */
export async function countProcessEnds(db: Db | Tx, batch: string): Promise<number> {
  const { n } = await db
    .selectFrom('rows')
    .innerJoin('batches', 'batches.name', 'rows.batch')
    .select((eb) => eb.fn.countAll<number>().as('n'))
    .where('rows.batch', '=', batch)
    .where('rows.outcome', 'in', LOST)
    .where(isNoPart('rows'))
    // The unary plus forces the outcome index: the time index covers all succeeded rows.
    .where(sql<boolean>`+rows.ended_at >= coalesce(batches.reopened_at, 0)`)
    .where('rows.failure_cause', 'in', OWN_CAUSES)
    .where('rows.failure_class', '=', PROCESS_ENDED.class)
    .executeTakeFirstOrThrow();
  return n;
}

/** Counts the rows of the batch that have no outcome. */
export async function countOpen(tx: Tx, batch: string): Promise<number> {
  const { states } = await counts(tx, batch);
  return Object.values(states).reduce((sum, n) => sum + n, 0);
}

/** Reads the batch's charged, reserved and uncertain credits. */
export async function money(db: Db, batch: string): Promise<Money> {
  return toMoney(await readSums(db, batch));
}

/** Converts the sums of a batch. */
export function toMoney(sums: Sums): Money {
  return {
    charged: sums.charged,
    reserved: sums.sending_quoted + sums.promised,
    uncertain: sums.unknown_quoted,
    estimated: sums.sending > 0 || sums.unknown > 0 || sums.by_quote > 0,
    saved: sums.saved,
    damaged: sums.damaged,
  };
}

/** Sums a value of each line by standing. */
function byStanding<Line extends Pick<RowCountsTable, 'standing'>>(
  lines: readonly Line[],
  valueOf: (line: Line) => number,
): ReadonlyMap<string, number> {
  const values = new Map<string, number>();
  for (const line of lines) values.set(line.standing, (values.get(line.standing) ?? 0) + valueOf(line));
  return values;
}

/** The sums that triggers maintain over a batch's charges and reserved budget. */
export type Sums = Selectable<SumsTable>;

const selectSums = preparedOne(
  (db, { batch }: { batch: string }) => db.selectFrom('sums').selectAll().where('batch', '=', batch),
  ({ batch }) => `sums:${batch}`,
);

/** Reads the sums of a batch. Throws {@link LedgerMisuse} if there is no such batch. */
export async function readSums(db: Db | Tx, batch: string): Promise<Sums> {
  const sums = await selectSums(db, { batch });
  if (sums === undefined) throw new LedgerMisuse(`There is no batch "${batch}" in this ledger.`);
  return sums;
}

/** Returns what the rows that ended `skipped` would cost, without those that the cache mode `only` skipped. */
export async function skippedQuotes(db: Db, batch: string): Promise<SkippedQuotes> {
  // Rows skipped by the budget have no index, but usually there are none.
  const { outcomes, notChosen, notCached } = await counts(db, batch);
  return {
    overBudget: outcomes.skipped > notChosen + notCached ? await sumQuotes(db, batch, IS_OVER_BUDGET) : 0,
    notChosen: await sumQuotes(db, batch, IS_NOT_CHOSEN),
  };
}

const IS_NOT_CHOSEN = sql<boolean>`${isNotChosen('rows')} and ${isNoPart('rows')}`;
/** For a row in parts, count only the skipped parts: the others may have been paid for. */
const IS_OVER_BUDGET = sql<boolean>`${isChosen('rows')} and coalesce(rows.failure_class, '') <> 'NotCached' and rows.parts is null and (${isNoPart('rows')} or 'skipped' = (
  select outcome from rows w where w.batch = rows.batch and w.row = rows.part_of))`;

/** Sum of the quotes of skipped rows that meet a condition. */
async function sumQuotes(db: Db, batch: string, condition: RawBuilder<boolean>): Promise<number | null> {
  const { rows, priced, quoted } = await db
    .selectFrom('rows')
    .select(({ fn }) => [
      fn.countAll<number>().as('rows'),
      fn.count<number>('quoted').as('priced'),
      fn.sum<number | null>('quoted').as('quoted'),
    ])
    .where('batch', '=', batch)
    .where('outcome', '=', 'skipped')
    .where(condition)
    .executeTakeFirstOrThrow();
  return priced < rows ? null : roundCredits(quoted ?? 0);
}
