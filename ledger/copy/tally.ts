import { sql, type RawBuilder } from 'kysely';
import type { Db, Tx } from '../schema.ts';
import { isRecent, OF_CHARGES, OF_ROWS, OF_STANDING, standing, type Line } from '../tables/kept-sums.ts';

/** A count or sum of a batch. */
export interface TallyEntry {
  readonly batch: string;
  /** Such as `rows succeeded` or `charged`. */
  readonly what: string;
  /**
   * For a number of rows: their outcome, or their state if they are open; `not_chosen` of those that `--limit` or
   * `--sample` left out.
   */
  readonly standing?: string;
  /** Sums are whole millionths of a credit, so that every database adds up exactly, in whatever order. */
  readonly n: number;
  /** By how much what is kept may differ from what is counted; see {@link CHANGES}. */
  readonly tolerance: number;
}

/** Counts and sums of all batches. What is zero may be missing. */
export type Tally = ReadonlyMap<string, TallyEntry>;

/** Millionths in a credit. */
export const MILLIONTHS = 1_000_000;

/**
 * The triggers round each kept sum to millionths, with each change. That changes nothing, unless an amount has more
 * decimals: then each of so many changes of its line may be off by one.
 */
const CHANGES = 4;

/** The alias of a table in the queries below: conditions of triggers are written for their lines. */
const LINE: Line = 'new';

/** What the triggers have kept. */
export async function readKept(tx: Db | Tx): Promise<Tally> {
  const tally = new Entries();
  for (const { batch, n, recent, ...key } of await tx.selectFrom('row_counts').selectAll().execute())
    tally.addRows({ batch, ...key }, n, recent);
  for (const { batch, ...sums } of await tx.selectFrom('sums').selectAll().execute())
    for (const [what, amount] of Object.entries(sums)) tally.add(batch, what, Math.round(amount * MILLIONTHS), 0);
  return tally.all;
}

/** The same, counted again from every row and charge, each of which is read once. */
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

/** `amounts`: the columns that the sums are made of. */
async function addSums(
  tx: Db | Tx,
  tally: Entries,
  table: 'charges' | 'rows',
  parts: Readonly<Record<string, (line: Line) => string>>,
  amounts: readonly string[],
): Promise<void> {
  const sums = Object.entries(parts).map(([what, part]) => `sum(${millionths(part(LINE))}) as ${what}`);
  const fine = amounts.map((amount) => isFiner(`coalesce(${LINE}.${amount}, 0)`)).join(' or ');
  const { rows } = await sql<Readonly<Record<string, string | number>>>`
    select batch, ${raw(sums.join(', '))}, sum(case when ${raw(fine)} then 1 else 0 end) as finer
    from ${raw(table)} as ${raw(LINE)} group by batch`.execute(tx);
  for (const { batch, finer, ...found } of rows)
    for (const [what, n] of Object.entries(found)) tally.add(String(batch), what, Number(n), Number(finer) * CHANGES);
}

const millionths = (amount: string): string => `cast(round((${amount}) * ${String(MILLIONTHS)}) as bigint)`;
/** Whether an amount has more decimals than millionths. */
const isFiner = (amount: string): string =>
  `abs(${amount} * ${String(MILLIONTHS)} - round(${amount} * ${String(MILLIONTHS)})) > 0.001`;

function raw(text: string): RawBuilder<unknown> {
  return sql.raw(text);
}

/** A tally being made. */
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

/** A number that should be the same twice. */
export interface Difference {
  /** Null for a number of lines of the whole ledger. */
  readonly batch: string | null;
  readonly what: string;
  readonly expected: number;
  readonly got: number;
}

/** Where two tallies differ. `expected` must be counted, not kept: it knows how exact the other can be. */
export function compareTallies(expected: Tally, found: Tally, isKept: boolean): readonly Difference[] {
  const keys = new Set([...expected.keys(), ...found.keys()]);
  return [...keys].flatMap((key) => {
    const [one, other] = [expected.get(key), found.get(key)];
    const { batch, what } = one ?? other ?? { batch: '', what: '' };
    const [n, m] = [one?.n ?? 0, other?.n ?? 0];
    if (Math.abs(n - m) <= (isKept ? (one?.tolerance ?? 0) : 0)) return [];
    const scale = what.startsWith('rows ') ? 1 : MILLIONTHS;
    return [{ batch, what, expected: n / scale, got: m / scale }];
  });
}
