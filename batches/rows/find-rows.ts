import type { Ledger } from '../../ledger/ledger.ts';
import type { BatchRecord } from '../../ledger/batches/batch-records.ts';
import type { RowRecord, RowSnapshot } from '../../ledger/rows/row-records.ts';
import { namedFilesOf, type RowFile } from '../../results/result-line.ts';
import type { FailureClass } from '../../contract/failures.ts';
import { hasResult, type Outcome } from '../../contract/outcomes.ts';
import type { Kind } from '../../contract/row-kinds.ts';

/**
 * Finds rows: by their names in a command, by conditions on how they ended, or because it is unknown whether they were
 * charged.
 */

/**
 * Returns the number of the row or part with this id, or else with this number (`12` or `#12`); undefined if there is
 * none. A part is found by number only as `#12`, the form in which commands name parts with misleading ids.
 */
export async function findRow(
  ledger: Pick<Ledger, 'findRowById' | 'readRow'>,
  batch: Pick<BatchRecord, 'name' | 'rows'>,
  word: string,
): Promise<number | undefined> {
  const byId = await ledger.findRowById(batch.name, word);
  if (byId !== undefined) return byId;
  const number = Number(/^#?([1-9]\d{0,14})$/u.exec(word)?.[1] ?? 0);
  if (number <= batch.rows) return number >= 1 ? number : undefined;
  // Parts are numbered after all rows.
  if (!word.startsWith('#')) return undefined;
  return (await ledger.readRow(batch.name, number)) === undefined ? undefined : number;
}

/** A row, or one of its takes (its paid runs: the first, and one for each redrive). */
export interface RowTake {
  readonly row: number;
  /** Default: the row's present take. */
  readonly take?: number;
}

/** Result of {@link findTake}. `takes`: how many takes the row has had. */
export type TakeByName =
  | ({ readonly type: 'found' } & RowTake)
  | { readonly type: 'no-row'; readonly word: string }
  | { readonly type: 'no-take'; readonly word: string; readonly take: number; readonly takes: number };

/**
 * Finds a row (`ROW`) or one of its takes (`ROW/TAKE`). ROW is an id, or a number if no row has that id. `withNext`:
 * also accept the take that would come next.
 */
export async function findTake(
  ledger: Pick<Ledger, 'findRowById' | 'readRow'>,
  batch: Pick<BatchRecord, 'name' | 'rows'>,
  text: string,
  withNext = false,
): Promise<TakeByName> {
  const parts = /^(.+)\/([1-9]\d{0,5})$/u.exec(text);
  const whole = await findRow(ledger, batch, text);
  // An id may itself have a slash.
  if (whole !== undefined) return { type: 'found', row: whole };
  if (parts === null) return { type: 'no-row', word: text };
  const word = parts[1] ?? '';
  const row = await findRow(ledger, batch, word);
  if (row === undefined) return { type: 'no-row', word };
  const take = Number(parts[2]);
  const takes = (await ledger.readRow(batch.name, row))?.row.take ?? 1;
  return take > takes + (withNext ? 1 : 0) ? { type: 'no-take', word, take, takes } : { type: 'found', row, take };
}

/** Result of {@link findRows}: rows in manifest order with the named takes, or the words that name no row. */
export type RowsByName =
  | { readonly type: 'found'; readonly rows: readonly number[]; readonly takes: ReadonlyMap<number, number> }
  | { readonly type: 'missing'; readonly words: readonly string[] }
  | Exclude<TakeByName, { readonly type: 'found' | 'no-row' }>
  /** The same row with two takes. */
  | { readonly type: 'two-takes'; readonly word: string };

/**
 * Finds rows by texts, each with one or several names (`ROW`), separated by commas. `withTakes`: also accept
 * `ROW/TAKE`.
 */
export async function findRows(
  ledger: Pick<Ledger, 'findRowById' | 'readRow'>,
  batch: Pick<BatchRecord, 'name' | 'rows'>,
  texts: readonly string[],
  withTakes = false,
): Promise<RowsByName> {
  const find = async (word: string): Promise<TakeByName> => {
    if (withTakes) return findTake(ledger, batch, word);
    const row = await findRow(ledger, batch, word);
    return row === undefined ? { type: 'no-row', word } : { type: 'found', row };
  };
  const rows = new Set<number>();
  const takes = new Map<number, number>();
  const missing: string[] = [];
  for (const text of texts) {
    // An id may itself contain a comma.
    const whole = await ledger.findRowById(batch.name, text);
    const words = whole === undefined ? text.split(',').map((word) => word.trim()) : [text];
    for (const word of words.filter((each) => each !== '')) {
      const found = await find(word);
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

/** Returns a row's files with their paths below the out folder, the result first; none if no valid name can be made. */
export function namedFiles(row: RowRecord, batch: BatchRecord): readonly RowFile[] {
  // A part's file is only in the store.
  return row.partOf === null ? namedFilesOf(row, batch) : [];
}

/** Conditions on ended rows. A row must meet all that are given. */
export interface RowConditions {
  /** How the row ended; any of these. */
  readonly outcomes?: readonly Outcome[];
  /** Class of its failure; any of these. */
  readonly classes?: readonly FailureClass[];
  readonly kinds?: readonly Kind[];
}

/** Returns whether a row, or a part, itself meets the conditions. */
export function meets(row: RowRecord, { outcomes, classes, kinds }: RowConditions): boolean {
  return (
    (outcomes === undefined || (row.outcome !== null && outcomes.includes(row.outcome))) &&
    (classes === undefined || (row.failure !== null && classes.includes(row.failure.class))) &&
    (kinds === undefined || kinds.includes(row.kind))
  );
}

/**
 * Returns the parts of a row that meet the conditions: parts without a result that themselves meet them, however the
 * row ended. If there are none and the row meets them, its unfit parts count as failed: they are why the row failed.
 */
export function matchingParts<Part extends Pick<RowSnapshot, 'row'>>(
  whole: RowRecord,
  parts: readonly Part[],
  conditions: RowConditions,
): readonly Part[] {
  const withoutResult = parts.filter(({ row }) => !hasResult(row.outcome));
  const matching = withoutResult.filter(({ row }) => meets(row, conditions));
  if (matching.length > 0 || !meets(whole, conditions)) return matching;
  return withoutResult.filter(({ row }) => row.outcome === 'unfit' && meets({ ...row, outcome: 'failed' }, conditions));
}

/**
 * Returns whether a row ended without knowing whether it was charged: as `unknown`, or as `failed` by `--on-unknown`.
 */
export function isUnknown({ outcome, failure }: Pick<RowRecord, 'outcome' | 'failure'>): boolean {
  return outcome === 'unknown' || (outcome === 'failed' && failure?.class === 'OutcomeUnknown');
}

/**
 * Yields a batch's rows that {@link isUnknown} is true for. For a row with parts, yields such parts, even if the row
 * itself is open or ended otherwise.
 */
export async function* selectUnknown(
  ledger: Pick<Ledger, 'scanRows'>,
  batch: string,
): AsyncGenerator<RowSnapshot, void, undefined> {
  yield* ledger.scanRows(batch, { outcome: 'unknown', inParts: true });
  yield* ledger.scanRows(batch, { outcome: 'failed', class: 'OutcomeUnknown', inParts: true });
}

/** Returns the numbers of the rows that {@link selectUnknown} yields, ascending. */
export async function unknownRows(ledger: Pick<Ledger, 'scanRows'>, batch: string): Promise<readonly number[]> {
  const rows: number[] = [];
  for await (const { row } of selectUnknown(ledger, batch)) rows.push(row.row);
  return rows.sort((a, b) => a - b);
}

/** Rows that the array holds at first; it grows by doubling. */
const ROWS_AT_START = 1024;

/** Maps row numbers to numbers above 0, for millions of rows: a flat array with 4 bytes per row. */
export class RowNumbers {
  #values = new Uint32Array(ROWS_AT_START);

  /** Returns the number of a row; undefined if none was set. `row`: from 1. */
  get(row: number): number | undefined {
    const value = this.#values[row] ?? 0;
    return value === 0 ? undefined : value;
  }

  set(row: number, value: number): void {
    if (row >= this.#values.length) {
      const grown = new Uint32Array(Math.max(row + 1, this.#values.length * 2));
      grown.set(this.#values);
      this.#values = grown;
    }
    this.#values[row] = value;
  }
}
