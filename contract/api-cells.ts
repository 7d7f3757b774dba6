import { parseExactJson, survivesAsNumber } from './exact-json.ts';
import { orElse } from './or-else.ts';
import type { JsonValue } from './row-kinds.ts';

/** A number as JSON writes it. */
const JSON_NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/**
 * The value of an `api.<field>` cell, as it is sent to the API: a JSON number, `true`, `false`, `null`, object, array
 * or text in double quotes becomes that value; anything else is taken as text (`007`, `yes`, `[draft`). A number that
 * would not survive as one (more digits than a double holds) stays a text, also inside an object or array. `"5"` in quotes is the text 5.
 */
export function valueOfApiCell(cell: string): JsonValue {
  const text = cell.trim();
  if (JSON_NUMBER.test(text)) return survivesAsNumber(text) ? Number(text) : cell;
  if (!/^(?:true|false|null|\{.*\}|\[.*\]|".*")$/s.test(text)) return cell;
  return orElse(() => parseExactJson(text), cell);
}

/** The cell that {@link valueOfApiCell} reads as this value. */
export function cellOfApiValue(value: JsonValue): string {
  if (typeof value === 'string' && value !== '' && valueOfApiCell(value) === value) return value;
  return JSON.stringify(value);
}
