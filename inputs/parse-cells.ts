import { plainNumber } from '../contract/value-kinds.ts';
import { readThreshold, THRESHOLD_FORM } from '../contract/verify.ts';
import { show } from '../contract/manifest-problems.ts';
import type { Finding } from '../contract/manifest-problems.ts';

/** A value, or what is wrong with the cell; its column is for the caller to name. */
export type Parsed<T> = { readonly value: T } | { readonly finding: Omit<Finding, 'column'> };

/** What a number must be. */
export interface NumberRule {
  readonly expected: string;
  readonly holds: (value: number) => boolean;
}

/** A decimal number with a point that keeps the rule. */
export function parseNumber(cell: string, rule: NumberRule): Parsed<number> {
  const value = plainNumber(cell);
  if (Number.isFinite(value) && rule.holds(value)) return { value };
  return { finding: { expected: rule.expected, came: show(cell), code: 'bad-number' } };
}

/** `true`, `false` (undefined), or the share of words that may be wrong. */
export function parseThreshold(cell: string): Parsed<number | undefined> {
  const threshold = readThreshold(cell);
  if (threshold === undefined) return { finding: { expected: THRESHOLD_FORM, came: show(cell), code: 'bad-number' } };
  return { value: threshold === 'off' ? undefined : threshold };
}

/** A name that the API knows, one of these if they are all that it knows. */
export function parseWord(cell: string, words: readonly string[] | undefined): Parsed<string> {
  if (words === undefined || words.includes(cell)) return { value: cell };
  return { finding: { expected: `one of ${words.join(', ')}`, came: show(cell), code: 'unknown-word' } };
}

/** Between the paths of a cell: a character that hardly any file name has, and that needs no quotes in CSV. */
const BETWEEN_PATHS = '|';

/** Paths of local files: separated by `|`, or as a JSON array of texts, which any file name fits into. */
export function parsePaths(cell: string): Parsed<readonly string[]> {
  const text = cell.trim();
  const paths = text.startsWith('[') ? listOf(text) : text.split(BETWEEN_PATHS).map((path) => path.trim());
  if (paths !== undefined && paths.length > 0 && paths.every((path) => path !== '')) {
    const scheme = paths.map((path) => /^([a-z][a-z\d+.-]+):\/\//i.exec(path)?.[1]).find((one) => one !== undefined);
    if (scheme === undefined) return { value: paths };
  }
  const expected = `paths of files on this machine, separated by ${BETWEEN_PATHS}, or a JSON array of them`;
  return { finding: { expected, came: show(cell), code: 'bad-path' } };
}

function listOf(text: string): readonly string[] | undefined {
  try {
    const list = JSON.parse(text) as unknown;
    return Array.isArray(list) && list.every((one) => typeof one === 'string') ? list : undefined;
  } catch {
    // A file name may begin like an array.
    return [text];
  }
}

/** An absolute http(s) URL that the service can fetch by itself. */
export function parseMediaUrl(cell: string): Parsed<string> {
  if (/^https?:\/\/[^/\s]/i.test(cell) && !/[\s\p{Cc}]/u.test(cell) && URL.canParse(cell)) return { value: cell };
  const scheme = /^([a-z][a-z\d+.-]+):/i.exec(cell)?.[1]?.toLowerCase();
  if (scheme === undefined) {
    const expected =
      'an http(s) URL that the service can fetch; a local file needs a store that hands out URLs, and the folder store does not';
    return { finding: { expected, came: show(cell), code: 'local-file' } };
  }
  const local = scheme === 'file' ? ' (a local file needs a store that hands out URLs)' : '';
  const expected = `an absolute http:// or https:// URL with a host${local}`;
  return { finding: { expected, came: show(cell), code: 'bad-url' } };
}
