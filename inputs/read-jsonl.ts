import { formatApiCell, parseExactJson, isTooDeep, inspectJson, TOO_DEEP } from '../contract/exact-json.ts';
import { ByteCheck, bytesOf, type ManifestBytes, MAX_RECORD_BYTES, type RawItem } from './check-bytes.ts';
import type { JsonValue } from '../contract/row-kinds.ts';
import { show } from '../contract/manifest-problems.ts';
import type { Finding, ManifestProblem } from '../contract/manifest-problems.ts';

const LF = 10;
/** Bytes read at once. */
const CHUNK_BYTES = 256 * 1024;

/**
 * Reads a JSON object per line, and yields them in batches, the sha256 of all bytes last. Every key is a column, in the
 * order in which keys first occur. Numbers and booleans become their text; integers keep all digits, also those that a
 * double cannot hold; null becomes an empty cell. Objects and arrays are for `api.*` columns only.
 *
 * @param columns the columns of earlier files of the manifest, with their indexes; new ones are added
 */
export async function* readJsonl(
  from: ManifestBytes,
  columns = new Map<string, number>(),
): AsyncGenerator<readonly RawItem[]> {
  const check = new ByteCheck();
  // The start of a line that the last chunk cut off.
  let rest: Buffer[] = [];
  let restBytes = 0;
  let line = 0;
  const read = (end: Buffer): readonly RawItem[] =>
    itemsOf(Buffer.concat([...rest, end]).toString('utf8'), ++line, columns);
  for await (const chunk of bytesOf(from, CHUNK_BYTES)) {
    const { bytes, problem } = check.accept(chunk);
    const items: RawItem[] = [];
    let start = 0;
    for (let at = bytes.indexOf(LF); at >= 0; at = bytes.indexOf(LF, start)) {
      items.push(...read(bytes.subarray(start, at)));
      [rest, restBytes, start] = [[], 0, at + 1];
    }
    rest.push(Buffer.from(bytes.subarray(start)));
    restBytes += bytes.length - start;
    yield items;
    const stop = problem ?? (restBytes > MAX_RECORD_BYTES ? tooLong(line + 1) : undefined);
    if (stop !== undefined) {
      yield [{ type: 'problem', problem: stop }];
      return;
    }
  }
  const problem = check.end();
  if (problem === undefined) yield read(Buffer.alloc(0));
  yield [problem === undefined ? { type: 'end', digest: check.digest() } : { type: 'problem', problem }];
}

function tooLong(line: number): ManifestProblem {
  const expected = 'a line of at most 10 MB; the rest was not checked';
  return { line, id: '', column: '', expected, got: 'more', code: 'record-too-long' };
}

/**
 * Returns a line's record, preceded by the columns that no earlier line had; or its problem. Nothing if it is empty.
 */
function itemsOf(text: string, line: number, columns: Map<string, number>): readonly RawItem[] {
  if (text.trim() === '') return [];
  const parsed = parseLine(text);
  if ('finding' in parsed) return [{ type: 'problem', problem: { line, id: '', ...parsed.finding } }];
  const names = Object.keys(parsed.object).filter((key) => !columns.has(key));
  for (const name of names) columns.set(name, columns.size);
  const items: readonly RawItem[] = names.length > 0 ? [{ type: 'columns', line, names }] : [];
  const cells = new Array<string>(columns.size).fill('');
  for (const [key, value] of Object.entries(parsed.object)) {
    if (typeof value === 'object' && value !== null && !takesAnyValue(key)) {
      const expected = 'a text, a number, true, false or null (objects and lists are for api.* only)';
      const finding: Finding = { column: key, expected, got: show(JSON.stringify(value)), code: 'nested-value' };
      const id = typeof parsed.object['id'] === 'string' ? parsed.object['id'] : '';
      return [...items, { type: 'problem', problem: { line, id, ...finding } }];
    }
    cells[columns.get(key) ?? 0] = cellOf(key, value);
  }
  return [...items, { type: 'record', line, cells }];
}

/** Whether a key may have any value: `api.*` members are sent as they are, and keys that begin with `_` are ignored. */
function takesAnyValue(key: string): boolean {
  return key.trim().startsWith('api.') || key.trim().startsWith('_');
}

/** Returns the cell for a value. */
function cellOf(key: string, value: JsonValue): string {
  if (key.trim().startsWith('api.')) return formatApiCell(value);
  if (value === null) return '';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/** Parses a line as an object, or returns what is wrong with it. */
function parseLine(text: string): { object: Record<string, JsonValue> } | { finding: Finding } {
  const got = show(text.trim());
  let value: JsonValue;
  try {
    value = parseExactJson(text);
  } catch {
    return { finding: { column: '', expected: 'one JSON object on this line', got, code: 'bad-json' } };
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    const expected = 'a JSON object such as {"text":"Hello","voice":"v1"}';
    return { finding: { column: '', expected, got, code: 'not-an-object' } };
  }
  const survey = inspectJson(text);
  if (isTooDeep(survey)) return { finding: { column: '', expected: TOO_DEEP, got, code: 'too-deep' } };
  const { duplicateKey } = survey;
  if (duplicateKey !== undefined) {
    return {
      finding: {
        column: duplicateKey,
        expected: 'every key once',
        got: `${show(duplicateKey)} twice`,
        code: 'duplicate-key',
      },
    };
  }
  return { object: value };
}
