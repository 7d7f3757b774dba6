import { sql, type RawBuilder } from 'kysely';
import type { Db, Tx } from '../schema.ts';
import { isRecent, OF_CHARGES, OF_ROWS, OF_STANDING, standing, type Line } from '../tables/kept-sums.ts';

/*
 * Counts and sums of batches, for comparing what triggers have recorded (the tables `row_counts` and `sums`) with what
 * rows and charges add up to, and a copy with its original.
 *
 * Rows are counted twice: all of them, and the recent ones, which have ended since their batch was last reopened. A
 * halt at too many failures looks at these only, so their count is recorded, too.
 */

/** A count or sum of a batch. */
export interface TallyEntry {
  readonly batch: string;
  /** Its name, such as `rows succeeded` or `charged`. */
  readonly what: string;
  /**
   * For a number of rows: their outcome, or their state if they are open; `not_chosen` of those that `--limit` or
   * `--sample` left out.
   */
  readonly standing?: string;
  /** A number of rows; or a sum in whole millionths of a credit, which every database adds up exactly, in any order. */
  readonly n: number;
  /** Max difference between the recorded and the counted value, by rounding; see {@link MAX_CHANGES}. */
  readonly tolerance: number;
}

/** Counts and sums of all batches, by batch and name. Zeros may be missing. */
export type Tally = ReadonlyMap<string, TallyEntry>;

/** Millionths in a credit. */
export const MILLIONTHS = 1_000_000;

/**
 * Max changes of an attempt that change its batch's sums. The triggers round a sum to millionths with each change. That
 * matters only for amounts with more decimals: then each change may be off by one millionth.
 */
const MAX_CHANGES = 4;

/** Alias of a table in the queries below: the SQL parts of triggers are written for lines of this name. */
const LINE: Line = 'new';

/** Reads the counts and sums that triggers have recorded. */
export async function readRecorded(tx: Db | Tx): Promise<Tally> {
  const tally = new Entries();
  for (const { batch, n, recent, ...key } of await tx.selectFrom('row_counts').selectAll().execute())
    tally.addRows({ batch, ...key }, n, recent);
  for (const { batch, ...sums } of await tx.selectFrom('sums').selectAll().execute())
    for (const [what, amount] of Object.entries(sums)) tally.add(batch, what, Math.round(amount * MILLIONTHS), 0);
  return tally.all;
}

/** Counts the same again from every row and charge. Reads each of them once. Parts of split rows are not counted. */
export async function countAgain(tx: Db | Tx): Promise<Tally> {
  const tally = new Entries();
  const key = Object.entries(OF_STANDING).map(([name, part]) => `${part(LINE)} as ${name}`);
  const { rows } = await sql<Standing & Record<'n' | 'recent', number>>`
    select ${raw(key.join(', '))}, count(*) as n, sum(${raw(isRecent(LINE))}) as recent
    from rows as ${raw(LINE)} where part_of is null group by ${raw(standing(LINE))}`.execute(tx);
  for (const { n, recent, ...names } of rows) tally.addRows(names, n, recent);
  await addSums(tx, tally, 'charges', OF_CHARGES, ['quoted', 'charged']);
  await addSums(tx, tally, 'rows', OF_ROWS, ['promised']);
  return tally.all;
}

type Standing = Readonly<Record<keyof typeof OF_STANDING, string>>;

/**
 * Adds sums over a table. `parts`: SQL for a line's part in each sum. `amounts`: the columns that these parts use; the
 * number of lines with finer amounts than millionths decides the tolerance.
 */
async function addSums(
  tx: Db | Tx,
  tally: Entries,
  table: 'charges' | 'rows',
  parts: Readonly<Record<string, (line: Line) => string>>,
  amounts: readonly string[],
): Promise<void> {
  const sums = Object.entries(parts).map(([what, part]) => `sum(${millionths(part(LINE))}) as ${what}`);
  const hasFiner = amounts.map((amount) => isFiner(`coalesce(${LINE}.${amount}, 0)`)).join(' or ');
  const { rows } = await sql<Readonly<Record<string, string | number>>>`
    select batch, ${raw(sums.join(', '))}, sum(case when ${raw(hasFiner)} then 1 else 0 end) as finer
    from ${raw(table)} as ${raw(LINE)} group by batch`.execute(tx);
  for (const { batch, finer, ...found } of rows)
    for (const [what, n] of Object.entries(found))
      tally.add(String(batch), what, Number(n), Number(finer) * MAX_CHANGES);
}

const millionths = (amount: string): string => `cast(round((${amount}) * ${String(MILLIONTHS)}) as bigint)`;
/** Whether an amount has more decimals than millionths. */
const isFiner = (amount: string): string =>
  `abs(${amount} * ${String(MILLIONTHS)} - round(${amount} * ${String(MILLIONTHS)})) > 0.001`;

function raw(text: string): RawBuilder<unknown> {
  return sql.raw(text);
}

/** Builds a tally. */
class Entries {
  readonly all = new Map<string, TallyEntry>();

  add(batch: string, what: string, n: number, tolerance: number, more: Pick<TallyEntry, 'standing'> = {}): void {
    this.all.set(JSON.stringify([batch, what]), { batch, what, n, tolerance, ...more });
  }

  addRows({ batch, standing: state, class: name, cause }: Standing, n: number, recent: number): void {
    const words = [state, name, cause].filter((word) => word !== '').join(' ');
    this.add(batch, `rows ${words}`, n, 0, { standing: name === 'NotChosen' ? 'not_chosen' : state });
    this.add(batch, `rows ${words}, recently`, recent, 0);
  }
}

/** A number that differs where it should be the same. */
export interface Difference {
  /** Null for the lines or values of a table, over all batches. */
  readonly batch: string | null;
  readonly what: string;
  readonly expected: number;
  readonly got: number;
}

/**
 * Returns the differences between two tallies. `expected` must be counted again, because only then it has tolerances;
 * `isRecorded`: `found` was recorded by triggers, so the tolerances apply.
 */
export function compareTallies(expected: Tally, found: Tally, isRecorded: boolean): readonly Difference[] {
  const keys = new Set([...expected.keys(), ...found.keys()]);
  return [...keys].flatMap((key) => {
    const [one, other] = [expected.get(key), found.get(key)];
    const { batch, what } = one ?? other ?? { batch: '', what: '' };
    const [n, m] = [one?.n ?? 0, other?.n ?? 0];
    if (Math.abs(n - m) <= (isRecorded ? (one?.tolerance ?? 0) : 0)) return [];
    const scale = what.startsWith('rows ') ? 1 : MILLIONTHS;
    return [{ batch, what, expected: n / scale, got: m / scale }];
  });
}
