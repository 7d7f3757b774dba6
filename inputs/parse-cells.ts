import { show } from './problems.ts';
import type { Finding } from './problems.ts';

/** A value, or what is wrong with the cell. */
export type Parsed<T> = { readonly value: T } | { readonly finding: Finding };

const PLAIN_NUMBER = /^\d+(?:\.\d+)?$/;

/** What a number must be. */
export interface NumberRule {
  readonly expected: string;
  readonly holds: (value: number) => boolean;
}

/** A decimal number with a point that keeps the rule. */
export function parseNumber(cell: string, column: string, rule: NumberRule): Parsed<number> {
  const value = PLAIN_NUMBER.test(cell) ? Number(cell) : Number.NaN;
  if (Number.isFinite(value) && rule.holds(value)) return { value };
  return { finding: { column, expected: rule.expected, came: show(cell), code: 'bad-number' } };
}

/** An absolute http(s) URL that the service can fetch by itself. */
export function parseMediaUrl(cell: string, column: string): Parsed<string> {
  if (/^https?:\/\/[^/\s]/i.test(cell) && !/[\s\p{Cc}]/u.test(cell) && URL.canParse(cell)) return { value: cell };
  const scheme = /^([a-z][a-z\d+.-]+):/i.exec(cell)?.[1]?.toLowerCase();
  if (scheme === undefined) {
    const expected =
      'an http(s) URL that the service can fetch; a local file needs a store that hands out URLs, and the folder store does not';
    return { finding: { column, expected, came: show(cell), code: 'local-file' } };
  }
  const local = scheme === 'file' ? ' (a local file needs a store that hands out URLs)' : '';
  const expected = `an absolute http:// or https:// URL with a host${local}`;
  return { finding: { column, expected, came: show(cell), code: 'bad-url' } };
}

const LONGEST_ID = 200;

/**
 * An id that is given. It is typed after `explain` and shown in messages. In file names it is made safe (see `safe-id.ts`), but one that
 * is meant as a path to somewhere else is a mistake.
 */
export function findBadId(id: string, column: string): Finding | undefined {
  const bad = (expected: string): Finding => ({ column, expected, came: show(id), code: 'bad-id' });
  if (id.length > LONGEST_ID || /[\p{Cc}\p{Cs}]/u.test(id))
    return bad(`an id of at most ${LONGEST_ID} characters without control characters`);
  if (/^[/\\]|^[a-z]:[/\\]/i.test(id)) return bad('an id that is no absolute path');
  return id.split(/[/\\]/).some((part) => part === '.' || part === '..')
    ? bad('an id without . or .. as in a path')
    : undefined;
}

/** Text that cannot be sent as UTF-8, or carries NUL: possible in JSON lines only, by escapes. */
export function findBadText(cell: string, column: string): Finding | undefined {
  if (!/[\0\p{Cs}]/u.test(cell)) return undefined;
  const expected = 'Unicode text without NUL and without half of a surrogate pair';
  return { column, expected, came: show(cell), code: cell.includes('\0') ? 'nul' : 'bad-text' };
}
