import { FAILURES, type FailureClass } from '../../contract/failures.ts';
import { OUTCOMES } from '../../contract/outcomes.ts';
import { KINDS } from '../../contract/row-kinds.ts';
import {
  type FoundRows,
  type NoSuchRow,
  type RedriveSelection,
  type RowChoice,
  selectedRows,
} from '../../batches/redrive/selection.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { BatchRecord } from '../../ledger/record-types.ts';
import { unchangedError } from '../exit-error.ts';

/** The conditions that `--where` accepts. */
const CONDITIONS = {
  outcome: OUTCOMES,
  class: Object.keys(FAILURES) as FailureClass[],
  kind: KINDS,
} as const;
type Key = keyof typeof CONDITIONS;

/** How `--where` is written, for help texts. */
export const WHERE_FORM = 'outcome=…, class=… or kind=…, with values separated by commas';

/**
 * Parses `--where` conditions: `KEY=VALUE[,VALUE…]`. The values of one condition are alternatives; several conditions
 * must all hold. Throws {@link ExitError} `usage` with the allowed ones.
 */
export function readConditions(texts: readonly string[]): Omit<RowChoice, 'rows'> {
  const allowed = new Map<Key, readonly string[]>();
  for (const text of texts) {
    const at = text.indexOf('=');
    const key = text.slice(0, Math.max(at, 0)).trim();
    if (!isKey(key)) {
      throw unchangedError(
        `--where ${text}: expected ${Object.keys(CONDITIONS).join('=…, ')}=…, as in --where outcome=failed.`,
      );
    }
    const values = text
      .slice(at + 1)
      .split(',')
      .map((value) => value.trim());
    const known: readonly string[] = CONDITIONS[key];
    const wrong = values.find((value) => !known.includes(value));
    if (wrong !== undefined)
      throw unchangedError(`--where ${text}: expected ${key}= one of ${known.join(', ')}; got "${wrong}".`);
    const before = allowed.get(key) ?? values;
    allowed.set(
      key,
      values.filter((value) => before.includes(value)),
    );
  }
  const names = { outcome: 'outcomes', class: 'classes', kind: 'kinds' } as const;
  return Object.fromEntries([...allowed].map(([key, values]) => [names[key], values]));
}

/** The rows that `--where` and `--rows` select, or `--accept`. Throws {@link ExitError} `usage` with all that do not exist. */
export async function requireRows(ledger: Ledger, batch: BatchRecord, wish: RedriveSelection): Promise<FoundRows> {
  const found = await selectedRows(ledger, batch, wish);
  if (found.type === 'missing') {
    const { words } = found;
    const named = words.slice(0, 10).map((word) => `"${word}"`);
    const more = words.length > named.length ? ` and ${String(words.length - named.length)} more` : '';
    throw unchangedError(
      `Batch "${batch.name}" has no row ${named.join(', ')}${more}. Expected ids, or numbers from 1 to ${String(batch.rows)}.`,
    );
  }
  if (found.type !== 'found') throw unchangedError(noTakeText(found, batch.name));
  if (wish.rows?.every((text) => /^[\s,]*$/u.test(text)) === true)
    throw unchangedError('--rows names no row. Give ids or numbers, separated by commas.');
  return found.rows;
}

function noTakeText(found: Exclude<NoSuchRow, { readonly type: 'missing' }>, batch: string): string {
  return found.type === 'no-take'
    ? `Row "${found.word}" of batch "${batch}" has no take ${String(found.take)}; it has had ${String(found.takes)}.`
    : `"${found.word}" names a row again, with another take. Give one take for each row.`;
}

function isKey(key: string): key is Key {
  return Object.hasOwn(CONDITIONS, key);
}
