import type { JsonValue } from './row-kinds.ts';

/**
 * Parses a JSON text as `JSON.parse` does, except for numbers that would not survive as one ({@link survivesAsNumber}):
 * such a number becomes a string of its digits. Throws `SyntaxError`.
 */
export function parseExactJson(json: string): JsonValue {
  const value = JSON.parse(json) as JsonValue;
  // Nearly no text needs the second look.
  if (!/\d{16}|\d[eE]/.test(json)) return value;
  const quoted = withQuotedNumbers(json);
  return quoted === json ? value : (JSON.parse(quoted) as JsonValue);
}

/**
 * Whether a JSON number is still the same after it was read: an integer must be exactly what it was, for a fraction the
 * nearest double is good enough.
 */
export function survivesAsNumber(number: string): boolean {
  const value = Number(number);
  if (!Number.isFinite(value)) return false;
  return !/^-?\d+$/.test(number) || Number.isSafeInteger(value) || String(value) === number;
}

/** The text, which must be valid JSON, with quotes around the numbers that would not survive. */
function withQuotedNumbers(json: string): string {
  const number = /-?\d[\d.eE+-]*/y;
  let quoted = '';
  let copied = 0;
  for (let at = 0; at < json.length; at += 1) {
    if (json[at] === '"') at = endOfString(json, at) - 1;
    number.lastIndex = at;
    const found = number.exec(json)?.[0];
    if (found === undefined) continue;
    if (!survivesAsNumber(found)) {
      quoted += `${json.slice(copied, at)}"${found}"`;
      copied = at + found.length;
    }
    at += found.length - 1;
  }
  return quoted + json.slice(copied);
}

/**
 * Index after the closing quote of the string that starts here. Not a regular expression, which would overflow the
 * stack on a long string.
 */
export function endOfString(json: string, start: number): number {
  for (let quote = json.indexOf('"', start + 1); quote >= 0; quote = json.indexOf('"', quote + 1)) {
    let before = quote;
    while (json[before - 1] === '\\') before -= 1;
    if ((quote - before) % 2 === 0) return quote + 1;
  }
  return json.length;
}
