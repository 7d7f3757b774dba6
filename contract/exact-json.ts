import type { JsonValue } from './row-kinds.ts';
import { orElse } from './or-else.ts';

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
function survivesAsNumber(number: string): boolean {
  const value = Number(number);
  if (!Number.isFinite(value)) return false;
  return !/^-?\d+$/.test(number) || Number.isSafeInteger(value) || String(value) === number;
}

/**
 * Parses a decimal number with a point, which may have a sign and an exponent; NaN if the text is not one, or an
 * integer that would become another one.
 */
export function parseSignedNumber(text: string): number {
  const isNumber = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i.test(text);
  return isNumber && survivesAsNumber(text.replace('+', '')) ? Number(text) : Number.NaN;
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
 * The value of an `api.<field>` cell, as it is sent to the API: a JSON number, `true`, `false`, `null`, object, array
 * or text in double quotes becomes that value; anything else is taken as text (`007`, `yes`, `[draft`). A number that
 * would not survive as one (more digits than a double holds) stays a text, also inside an object or array. `"5"` in
 * quotes is the text 5.
 */
export function parseApiCell(cell: string): JsonValue {
  const text = cell.trim();
  if (JSON_NUMBER.test(text)) return survivesAsNumber(text) ? Number(text) : cell;
  if (!/^(?:true|false|null|\{.*\}|\[.*\]|".*")$/s.test(text)) return cell;
  return orElse(() => parseExactJson(text), cell);
}

/** The cell that {@link parseApiCell} reads as this value. */
export function formatApiCell(value: JsonValue): string {
  if (typeof value === 'string' && value !== '' && parseApiCell(value) === value) return value;
  return JSON.stringify(value);
}

/** Properties of a JSON text that `JSON.parse` does not report. */
interface JsonSurvey {
  /** How deep its objects and lists are nested; 0 for neither. */
  readonly depth: number;
  /** The first key that occurs twice at the top level of an object, if any: `JSON.parse` keeps the last value. */
  readonly twice: string | undefined;
}

/** Max nesting depth, beyond any real use. Recursive code overflows the stack some thousands of levels deep. */
const DEEPEST = 100;

/** The expectation to report if {@link isTooDeep}. */
export const TOO_DEEP = `objects and lists nested at most ${String(DEEPEST)} deep`;

/**
 * Whether the objects and lists of a JSON text are nested deeper than anybody needs. Its strings may have any length.
 */
export function isTooDeep({ depth }: Pick<JsonSurvey, 'depth'>): boolean {
  return depth > DEEPEST;
}

/** Surveys a text, which must be valid JSON. */
export function inspectJson(json: string): JsonSurvey {
  const seen = new Set<string>();
  let twice: string | undefined;
  let [depth, deepest] = [0, 0];
  for (let at = 0; at < json.length; at += 1) {
    const character = json[at];
    if (character === '{' || character === '[') deepest = Math.max(deepest, (depth += 1));
    else if (character === '}' || character === ']') depth -= 1;
    else if (character === '"') {
      const end = endOfString(json, at);
      if (depth === 1 && isBeforeColon(json, end)) {
        const key = String(JSON.parse(json.slice(at, end)));
        if (seen.has(key)) twice ??= key;
        seen.add(key);
      }
      at = end - 1;
    }
  }
  return { depth: deepest, twice };
}

function isBeforeColon(json: string, from: number): boolean {
  let at = from;
  while (' \t\n\r'.includes(json[at] ?? 'x')) at += 1;
  return json[at] === ':';
}
