import type { Ledger } from '../../ledger/ledger.ts';
import type { BatchRecord } from '../../ledger/batches/batch-records.ts';
import type { RowRecord, RowSnapshot } from '../../ledger/rows/row-records.ts';
import { namedFilesOf, type RowFile } from '../../results/result-line.ts';
import type { FailureClass } from '../../contract/failures.ts';
import { hasResult, type Outcome } from '../../contract/outcomes.ts';
import type { Kind } from '../../contract/row-kinds.ts';

/**
 * Number of the row or part of this id, or of this number where no row has that id. A part has no number that a person
 * knows: only `#12` stands for one, as a command writes it whose id would be read differently.
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

/** A row, or one of its takes. */
export interface RowTake {
  readonly row: number;
  /** Default: the take that the row is at. */
  readonly take?: number;
}

/** What {@link findTake} found. `takes`: how many the row `word` has had. */
export type TakeByName =
  | ({ readonly type: 'found' } & RowTake)
  | { readonly type: 'no-row'; readonly word: string }
  | { readonly type: 'no-take'; readonly word: string; readonly take: number; readonly takes: number };

/**
 * Finds a row (`ROW`) or one of its takes (`ROW/TAKE`); ROW is an id, or a number where no row has that id. `withNext`:
 * also the take that it would have next.
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

/** Result of {@link findRows}: rows in order of the manifest with the named takes, or the words that name none. */
export type RowsByName =
  | { readonly type: 'found'; readonly rows: readonly number[]; readonly takes: ReadonlyMap<number, number> }
  | { readonly type: 'missing'; readonly words: readonly string[] }
  | Exclude<TakeByName, { readonly type: 'found' | 'no-row' }>
  /** The same row with two takes. */
  | { readonly type: 'two-takes'; readonly word: string };

/**
 * Finds rows (`ROW`), separated by commas; `withTakes`: also those that are named with one of their takes (`ROW/TAKE`).
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

/** The files of a row and their paths below the out folder, the result first; none if no valid name can be made. */
export function namedFiles(row: RowRecord, batch: BatchRecord): readonly RowFile[] {
  // A part's file is only in the store. So is one without a valid name; `results` says which part of that is wrong.
  return row.partOf === null ? namedFilesOf(row, batch) : [];
}

/** What chosen rows have in common. A row must meet all given conditions. */
export interface RowConditions {
  /** How the row ended; any of these. */
  readonly outcomes?: readonly Outcome[];
  /** Class of its failure; any of these. */
  readonly classes?: readonly FailureClass[];
  readonly kinds?: readonly Kind[];
}

/** Whether a row, or a part, meets the conditions by itself. */
export function meets(row: RowRecord, { outcomes, classes, kinds }: RowConditions): boolean {
  return (
    (outcomes === undefined || (row.outcome !== null && outcomes.includes(row.outcome))) &&
    (classes === undefined || (row.failure !== null && classes.includes(row.failure.class))) &&
    (kinds === undefined || kinds.includes(row.kind))
  );
}

/**
 * The parts of a row that meet the conditions: those without a result that meet them by themselves, whatever the row
 * ended as. If a row failed only because parts are unfit, these have failed.
 */
export function matchingParts<Part extends Pick<RowSnapshot, 'row'>>(
  whole: RowRecord,
  parts: readonly Part[],
  conditions: RowConditions,
): readonly Part[] {
  const lacking = parts.filter(({ row }) => !hasResult(row.outcome));
  const matching = lacking.filter(({ row }) => meets(row, conditions));
  if (matching.length > 0 || !meets(whole, conditions)) return matching;
  return lacking.filter(({ row }) => row.outcome === 'unfit' && meets({ ...row, outcome: 'failed' }, conditions));
}

/** Whether a row may have been charged without a result, whether it ended `unknown` or `failed`. */
export function isUnknown({ outcome, failure }: Pick<RowRecord, 'outcome' | 'failure'>): boolean {
  return outcome === 'unknown' || (outcome === 'failed' && failure?.class === 'OutcomeUnknown');
}

/**
 * All such rows of a batch. Of a row that is spoken in parts: those parts, even if the row itself is open or ended
 * otherwise.
 */
export async function* selectUnknown(
  ledger: Pick<Ledger, 'scanRows'>,
  batch: string,
): AsyncGenerator<RowSnapshot, void, undefined> {
  yield* ledger.scanRows(batch, { outcome: 'unknown', inParts: true });
  yield* ledger.scanRows(batch, { outcome: 'failed', class: 'OutcomeUnknown', inParts: true });
}

/** Their numbers, in order. */
export async function unknownRows(ledger: Pick<Ledger, 'scanRows'>, batch: string): Promise<readonly number[]> {
  const rows: number[] = [];
  for await (const { row } of selectUnknown(ledger, batch)) rows.push(row.row);
  return rows.sort((a, b) => a - b);
}

const ROWS_AT_START = 1024;

/** A number above 0 for each of millions of rows: 4 bytes a row, in a flat array. */
export class RowNumbers {
  #values = new Uint32Array(ROWS_AT_START);

  /** The number of a row, if it has one. `row`: from 1. */
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
