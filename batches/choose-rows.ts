import type { FailureClass } from '../contract/failures.ts';
import type { Outcome } from '../contract/outcomes.ts';
import type { Kind } from '../contract/row-kinds.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { BatchRecord, RowStanding } from '../ledger/record-types.ts';
import type { FoundRows } from './redrive-draft.ts';

/** A choice of rows. A row must meet all given conditions. */
export interface RowChoice {
  /** How the row ended; any of these. */
  readonly outcomes?: readonly Outcome[];
  /** Class of its failure; any of these. */
  readonly classes?: readonly FailureClass[];
  readonly kinds?: readonly Kind[];
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

/** The chosen rows, in order of the manifest. */
async function* selectRows(
  ledger: Ledger,
  batch: string,
  choice: RowChoice,
): AsyncGenerator<RowStanding, void, undefined> {
  if (choice.rows !== undefined) {
    for (const number of choice.rows) {
      const scanned = await ledger.readRow(batch, number);
      if (scanned !== undefined && isChosen(scanned, choice)) yield scanned;
    }
    return;
  }
  const [outcome, ...others] = choice.outcomes ?? [];
  const narrow = outcome !== undefined && others.length === 0 ? { outcome } : {};
  for await (const scanned of ledger.scanRows(batch, narrow)) if (isChosen(scanned, choice)) yield scanned;
}

/** The same rows without edits, readable as often as a redrive needs. */
export function chosenRows(ledger: Ledger, batch: string, choice: RowChoice): FoundRows {
  return {
    async *[Symbol.asyncIterator]() {
      for await (const scanned of selectRows(ledger, batch, choice)) yield { scanned, edit: null };
    },
  };
}

function isChosen({ row }: RowStanding, { outcomes, classes, kinds }: RowChoice): boolean {
  return (
    (outcomes === undefined || (row.outcome !== null && outcomes.includes(row.outcome))) &&
    (classes === undefined || (row.failure !== null && classes.includes(row.failure.class))) &&
    (kinds === undefined || kinds.includes(row.kind))
  );
}
