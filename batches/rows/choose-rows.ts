import { hasResult } from '../../contract/outcomes.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { BatchRecord, RowStanding } from '../../ledger/record-types.ts';
import type { FoundRows } from '../redrive/found-rows.ts';
import { meantParts, meets, type RowConditions } from './row-conditions.ts';

/** A choice of rows. A row in parts that ended without a result is also chosen if any of its parts meets the conditions. */
export interface RowChoice extends RowConditions {
  /** Numbers of rows, from 1. Default: any row. */
  readonly rows?: readonly number[];
}

/** Result of {@link findRows}: the rows, in order of the manifest, or the words that match none. */
export type RowsByName =
  | { readonly type: 'found'; readonly rows: readonly number[] }
  | { readonly type: 'missing'; readonly words: readonly string[] };

/** Finds rows by comma-separated ids, or by numbers (`12` or `#12`) that are not ids. */
export async function findRows(
  ledger: Pick<Ledger, 'findRowById' | 'readRow'>,
  batch: Pick<BatchRecord, 'name' | 'rows'>,
  texts: readonly string[],
): Promise<RowsByName> {
  const found = new Set<number>();
  const missing: string[] = [];
  for (const text of texts) {
    // An id may itself contain a comma.
    const whole = await ledger.findRowById(batch.name, text);
    const words = whole === undefined ? text.split(',').map((word) => word.trim()) : [text];
    for (const word of words.filter((each) => each !== '')) {
      const row = await findRow(ledger, batch, word);
      if (row === undefined) missing.push(word);
      else found.add(row);
    }
  }
  if (missing.length > 0) return { type: 'missing', words: missing };
  return { type: 'found', rows: [...found].sort((a, b) => a - b) };
}

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

/** The chosen rows, in order of the manifest; those that are chosen only for parts of them come last. */
async function* selectRows(
  ledger: Ledger,
  batch: string,
  choice: RowChoice,
): AsyncGenerator<RowStanding, void, undefined> {
  if (choice.rows !== undefined) {
    for (const number of choice.rows) {
      const scanned = await ledger.readRow(batch, number);
      if (scanned !== undefined && (meets(scanned.row, choice) || (await hasMeantPart(ledger, batch, scanned, choice))))
        yield scanned;
    }
    return;
  }
  const [outcome, ...others] = choice.outcomes ?? [];
  const narrow = outcome !== undefined && others.length === 0 ? { outcome } : {};
  for await (const scanned of ledger.scanRows(batch, narrow)) if (meets(scanned.row, choice)) yield scanned;
  if (choice.outcomes === undefined && choice.classes === undefined) return;
  let before: number | null = null;
  for await (const { row: part } of ledger.scanRows(batch, { ...narrow, onlyParts: true })) {
    if (part.partOf === null || part.partOf === before || hasResult(part.outcome) || !meets(part, choice)) continue;
    before = part.partOf;
    const whole = await ledger.readRow(batch, part.partOf);
    if (whole !== undefined && isWithoutResult(whole) && !meets(whole.row, choice)) yield whole;
  }
}

/** Whether a row that does not meet the conditions itself is chosen for a part of it. */
async function hasMeantPart(
  ledger: Pick<Ledger, 'partsOf'>,
  batch: string,
  whole: RowStanding,
  choice: RowChoice,
): Promise<boolean> {
  if (whole.row.parts === null || !isWithoutResult(whole)) return false;
  return meantParts(whole.row, await ledger.partsOf(batch, whole.row.row), choice).length > 0;
}

/** Whether a row has ended, and has no result. */
function isWithoutResult({ row }: RowStanding): boolean {
  return row.outcome !== null && !hasResult(row.outcome);
}

/** The same rows without edits, readable as often as a redrive needs. */
export function chosenRows(ledger: Ledger, batch: string, choice: RowChoice): FoundRows {
  return {
    async *[Symbol.asyncIterator]() {
      for await (const scanned of selectRows(ledger, batch, choice)) yield { scanned, edit: null };
    },
  };
}
