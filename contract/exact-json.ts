import type { JsonValue } from './row-kinds.ts';
import { orElse } from './or-else.ts';

/**
 * JSON that keeps numbers exact. JavaScript would silently round an id of 17 digits; here, a number that a double
 * cannot hold becomes a string of its digits.
 */

/**
 * Parses a JSON text like `JSON.parse`, but turns a number that a double cannot hold ({@link survivesAsNumber}) into a
 * string of its digits. Throws `SyntaxError`.
 */
export function parseExactJson(json: string): JsonValue {
  const value = JSON.parse(json) as JsonValue;
  // Skips the scan for the usual text, which has no long number.
  if (!/\d{16}|\d[eE]/.test(json)) return value;
  const quoted = withQuotedNumbers(json);
  return quoted === json ? value : (JSON.parse(quoted) as JsonValue);
}

/**
 * Whether a double can hold a JSON number: an integer must be exact; for a fraction, the nearest double is good enough.
 */
function survivesAsNumber(number: string): boolean {
  const value = Number(number);
  if (!Number.isFinite(value)) return false;
  return !/^-?\d+$/.test(number) || Number.isSafeInteger(value) || String(value) === number;
}

/**
 * Parses a decimal number with an optional sign and exponent. Returns NaN if the text is not a number, or an integer
 * that a double cannot hold.
 */
export function parseSignedNumber(text: string): number {
  const isNumber = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i.test(text);
  return isNumber && survivesAsNumber(text.replace('+', '')) ? Number(text) : Number.NaN;
}

/** Puts quotes around the numbers that a double cannot hold. The text must be valid JSON. */
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
function endOfString(json: string, start: number): number {
  for (let quote = json.indexOf('"', start + 1); quote >= 0; quote = json.indexOf('"', quote + 1)) {
    let before = quote;
    while (json[before - 1] === '\\') before -= 1;
    if ((quote - before) % 2 === 0) return quote + 1;
  }
  return json.length;
}

/** A number as JSON writes it. */
const JSON_NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/**
 * Parses an `api.<field>` cell into the value that is sent to the API: a JSON number, `true`, `false`, `null`, object,
 * array or text in double quotes becomes that value; anything else is taken as text (`007`, `yes`, `[draft`). A number
 * that a double cannot hold stays a text, also inside an object or array. `"5"` in quotes is the text 5.
 */
export function parseApiCell(cell: string): JsonValue {
  const text = cell.trim();
  if (JSON_NUMBER.test(text)) return survivesAsNumber(text) ? Number(text) : cell;
  if (!/^(?:true|false|null|\{.*\}|\[.*\]|".*")$/s.test(text)) return cell;
  return orElse(() => parseExactJson(text), cell);
}

/** Formats a value as a cell that {@link parseApiCell} reads back. */
export function formatApiCell(value: JsonValue): string {
  if (typeof value === 'string' && value !== '' && parseApiCell(value) === value) return value;
  return JSON.stringify(value);
}

/** Properties of a JSON text that `JSON.parse` does not report. */
interface JsonProperties {
  /** Nesting depth of its objects and lists; 0 for a plain value. */
  readonly depth: number;
  /** The first key that occurs twice in the outermost object, if any: `JSON.parse` silently keeps the last value. */
  readonly duplicateKey: string | undefined;
}

/** Max nesting depth, beyond any real use. Recursive code overflows the stack some thousands of levels deep. */
const DEEPEST = 100;

/** What to report as expected if {@link isTooDeep}. */
export const TOO_DEEP = `objects and lists nested at most ${String(DEEPEST)} deep`;

/** Whether the objects and lists of a JSON text are nested too deep to be processed safely. */
export function isTooDeep({ depth }: Pick<JsonProperties, 'depth'>): boolean {
  return depth > DEEPEST;
}

/** Finds the nesting depth and a duplicate key of a text, which must be valid JSON. */
export function inspectJson(json: string): JsonProperties {
  const seen = new Set<string>();
  let duplicateKey: string | undefined;
  let depth = 0;
  let deepest = 0;
  for (let at = 0; at < json.length; at += 1) {
    const character = json[at];
    if (character === '{' || character === '[') {
      depth += 1;
      deepest = Math.max(deepest, depth);
    } else if (character === '}' || character === ']') depth -= 1;
    else if (character === '"') {
      const end = endOfString(json, at);
      if (depth === 1 && isBeforeColon(json, end)) {
        const key = String(JSON.parse(json.slice(at, end)));
        if (seen.has(key)) duplicateKey ??= key;
        seen.add(key);
      }
      at = end - 1;
    }
  }
  return { depth: deepest, duplicateKey };
}

function isBeforeColon(json: string, from: number): boolean {
  let at = from;
  while (' \t\n\r'.includes(json[at] ?? 'x')) at += 1;
  return json[at] === ':';
}
