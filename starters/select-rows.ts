import { FAILURES, type FailureClass } from '../contract/failures.ts';
import { OUTCOMES, type Outcome } from '../contract/outcomes.ts';
import { KINDS, type Kind } from '../contract/row-kinds.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { BatchRecord } from '../ledger/record-types.ts';
import type { ScannedRow } from '../results/result-line.ts';
import { ExitError } from './exit-error.ts';
import type { FoundRows } from './redrive-draft.ts';

/** Rows of a batch that a person chose; a row must meet all that is given. */
export interface RowChoice {
  /** `--where`: the values that each condition allows. */
  readonly outcomes?: readonly Outcome[];
  readonly classes?: readonly FailureClass[];
  readonly kinds?: readonly Kind[];
  /** `--rows`, by number; undefined: any. */
  readonly rows?: readonly number[];
}

/** What `--where` understands. */
const CONDITIONS = {
  outcome: OUTCOMES,
  class: Object.keys(FAILURES) as FailureClass[],
  kind: KINDS,
} as const;
type Key = keyof typeof CONDITIONS;

/** How `--where` is written, for help texts. */
export const WHERE_FORM = 'outcome=…, class=… or kind=…; several values with commas';

/**
 * Reads `--where` conditions: `KEY=VALUE[,VALUE…]`. The values of one condition are alternatives; of several conditions all
 * must hold. Throws {@link ExitError} `usage` naming what is allowed.
 */
export function readConditions(texts: readonly string[]): Omit<RowChoice, 'rows'> {
  const allowed = new Map<Key, readonly string[]>();
  for (const text of texts) {
    const at = text.indexOf('=');
    const key = text.slice(0, Math.max(at, 0)).trim();
    if (!isKey(key)) {
      throw usage(`--where ${text}: expected ${Object.keys(CONDITIONS).join('=…, ')}=…, as in --where outcome=failed.`);
    }
    const values = text
      .slice(at + 1)
      .split(',')
      .map((value) => value.trim());
    const known: readonly string[] = CONDITIONS[key];
    const wrong = values.find((value) => !known.includes(value));
    if (wrong !== undefined)
      throw usage(`--where ${text}: expected ${key}= one of ${known.join(', ')}; came "${wrong}".`);
    const before = allowed.get(key) ?? values;
    allowed.set(
      key,
      values.filter((value) => before.includes(value)),
    );
  }
  const names = { outcome: 'outcomes', class: 'classes', kind: 'kinds' } as const;
  return Object.fromEntries([...allowed].map(([key, values]) => [names[key], values]));
}

/**
 * The rows that `--rows` names: ids, with commas between them, or numbers (`12` or `#12`) where no row has that id.
 * Throws {@link ExitError} `usage` naming all that are not there.
 */
export async function findRows(
  ledger: Ledger,
  batch: BatchRecord,
  texts: readonly string[],
): Promise<readonly number[]> {
  const found = new Set<number>();
  const missing: string[] = [];
  for (const text of texts) {
    // An id may itself have a comma.
    const whole = await ledger.findRowById(batch.name, text);
    const words = whole === undefined ? text.split(',').map((word) => word.trim()) : [text];
    for (const word of words.filter((each) => each !== '')) {
      const row = await findRow(ledger, batch, word);
      if (row === undefined) missing.push(word);
      else found.add(row);
    }
  }
  if (missing.length > 0) {
    const named = missing.slice(0, 10).map((word) => `"${word}"`);
    const more = missing.length > named.length ? ` and ${String(missing.length - named.length)} more` : '';
    throw usage(
      `Batch "${batch.name}" has no row ${named.join(', ')}${more}. Expected ids, or numbers from 1 to ${String(batch.rows)}.`,
    );
  }
  if (found.size === 0) throw usage('--rows names no row. Expected ids or numbers, with commas between them.');
  return [...found].sort((a, b) => a - b);
}

/** Number of the row of this id, or of this number where no row has that id. */
export async function findRow(ledger: Ledger, batch: BatchRecord, word: string): Promise<number | undefined> {
  const byId = await ledger.findRowById(batch.name, word);
  if (byId !== undefined) return byId;
  const number = Number(/^#?([1-9]\d{0,14})$/u.exec(word)?.[1] ?? 0);
  return number >= 1 && number <= batch.rows ? number : undefined;
}

/** The chosen rows, in order of the manifest. */
export async function* selectRows(
  ledger: Ledger,
  batch: string,
  choice: RowChoice,
): AsyncGenerator<ScannedRow, void, undefined> {
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

/** The same, as often as they are asked for. */
export function chosenRows(ledger: Ledger, batch: string, choice: RowChoice): FoundRows {
  return {
    async *[Symbol.asyncIterator]() {
      for await (const scanned of selectRows(ledger, batch, choice)) yield { scanned, edit: null };
    },
  };
}

function isChosen({ row }: ScannedRow, { outcomes, classes, kinds }: RowChoice): boolean {
  return (
    (outcomes === undefined || (row.outcome !== null && outcomes.includes(row.outcome))) &&
    (classes === undefined || (row.failure !== null && classes.includes(row.failure.class))) &&
    (kinds === undefined || kinds.includes(row.kind))
  );
}

function isKey(key: string): key is Key {
  return Object.hasOwn(CONDITIONS, key);
}

function usage(message: string): ExitError {
  return new ExitError('usage', `${message} Nothing was changed, nothing was spent.`);
}
