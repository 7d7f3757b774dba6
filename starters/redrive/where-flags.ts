import type { RedriveOptions } from '../../client/redrive/redrive.ts';
import { FAILURES, type FailureClass } from '../../contract/failures.ts';
import { OUTCOMES } from '../../contract/outcomes.ts';
import { KINDS } from '../../contract/row-kinds.ts';
import { unchangedError } from '../exit-error.ts';

/** The conditions that `--where` accepts. */
const CONDITIONS = {
  outcome: OUTCOMES,
  class: Object.keys(FAILURES) as FailureClass[],
  kind: KINDS,
} as const;
type Key = keyof typeof CONDITIONS;

/**
 * Parses `--where` conditions: `KEY=VALUE[,VALUE…]`. The values of one condition are alternatives; several conditions
 * must all hold. Throws {@link ExitError} `usage` with the allowed ones.
 */
export function readConditions(texts: readonly string[]): Pick<RedriveOptions, 'outcomes' | 'classes' | 'kinds'> {
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

function isKey(key: string): key is Key {
  return Object.hasOwn(CONDITIONS, key);
}
