import { cellOfApiValue } from '../contract/api-cells.ts';
import { ByteCheck, bytesOf, type ManifestBytes, MAX_RECORD_BYTES, type RawItem } from './check-bytes.ts';
import type { JsonValue } from '../contract/row-kinds.ts';
import { show } from '../contract/manifest-problems.ts';
import type { Finding, ManifestProblem } from '../contract/manifest-problems.ts';
import { isTooDeep, surveyJson, TOO_DEEP } from './survey-json.ts';

const LF = 10;
const CHUNK_BYTES = 256 * 1024;

/**
 * Reads a JSON object per line, in batches. Every key is a column, in the order in which keys first occur. Numbers and
 * true/false become their text, null an empty cell; objects and arrays are for `api.*` columns only. `columns` holds
 * the earlier files' columns with their positions; new ones are added.
 */
export async function* readJsonl(
  from: ManifestBytes,
  columns = new Map<string, number>(),
): AsyncGenerator<readonly RawItem[]> {
  const check = new ByteCheck();
  const lines = new LineReader(columns);
  for await (const chunk of bytesOf(from, CHUNK_BYTES)) {
    const { bytes, problem } = check.accept(chunk);
    yield lines.accept(bytes);
    const stop = problem ?? lines.tooLong();
    if (stop !== undefined) {
      yield [{ type: 'problem', problem: stop }];
      return;
    }
  }
  const cut = check.end();
  if (cut !== undefined) {
    yield [{ type: 'problem', problem: cut }];
    return;
  }
  yield lines.end();
  yield [{ type: 'end', digest: check.digest() }];
}

class LineReader {
  /** Columns so far, by their place. */
  readonly #columns: Map<string, number>;
  #rest: Buffer[] = [];
  #restBytes = 0;
  #line = 0;

  constructor(columns: Map<string, number>) {
    this.#columns = columns;
  }

  accept(bytes: Buffer): readonly RawItem[] {
    const items: RawItem[] = [];
    let start = 0;
    for (let at = bytes.indexOf(LF); at >= 0; at = bytes.indexOf(LF, start)) {
      this.#read(Buffer.concat([...this.#rest, bytes.subarray(start, at)]).toString('utf8'), items);
      this.#rest = [];
      this.#restBytes = 0;
      start = at + 1;
    }
    this.#rest.push(Buffer.from(bytes.subarray(start)));
    this.#restBytes += bytes.length - start;
    return items;
  }

  end(): readonly RawItem[] {
    const items: RawItem[] = [];
    this.#read(Buffer.concat(this.#rest).toString('utf8'), items);
    return items;
  }

  tooLong(): ManifestProblem | undefined {
    if (this.#restBytes <= MAX_RECORD_BYTES) return undefined;
    const expected = 'a line of at most 10 MB; the rest was not checked';
    return { line: this.#line + 1, id: '', column: '', expected, came: 'more', code: 'record-too-long' };
  }

  #read(text: string, items: RawItem[]): void {
    this.#line++;
    if (text.trim() === '') return;
    const line = this.#line;
    const parsed = parseLine(text);
    if ('finding' in parsed) {
      items.push({ type: 'problem', problem: { line, id: '', ...parsed.finding } });
      return;
    }
    const names = Object.keys(parsed.object).filter((key) => !this.#columns.has(key));
    for (const name of names) this.#columns.set(name, this.#columns.size);
    if (names.length > 0) items.push({ type: 'columns', line, names });

    const cells = new Array<string>(this.#columns.size).fill('');
    for (const [key, value] of Object.entries(parsed.object)) {
      const nested = typeof value === 'object' && value !== null;
      if (nested && !isFree(key)) {
        const finding: Finding = {
          column: key,
          expected: 'a text, a number, true, false or null (objects and lists are for api.* only)',
          came: show(JSON.stringify(value)),
          code: 'nested-value',
        };
        const id = typeof parsed.object['id'] === 'string' ? parsed.object['id'] : '';
        items.push({ type: 'problem', problem: { line, id, ...finding } });
        return;
      }
      cells[this.#columns.get(key) ?? 0] = cellOf(key, value);
    }
    items.push({ type: 'record', line, cells });
  }
}

/** Keys whose value may have any shape, because it is passed through or ignored. */
function isFree(key: string): boolean {
  return key.trim().startsWith('api.') || key.trim().startsWith('_');
}

function cellOf(key: string, value: JsonValue): string {
  if (key.trim().startsWith('api.')) return cellOfApiValue(value);
  if (value === null) return '';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

function parseLine(text: string): { object: Record<string, JsonValue> } | { finding: Finding } {
  const came = show(text.trim());
  let value: JsonValue;
  try {
    value = JSON.parse(text) as JsonValue;
  } catch {
    return { finding: { column: '', expected: 'one JSON object on this line', came, code: 'bad-json' } };
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    const expected = 'a JSON object such as {"text":"Hello","voice":"v1"}';
    return { finding: { column: '', expected, came, code: 'not-an-object' } };
  }
  const survey = surveyJson(text);
  if (isTooDeep(survey)) return { finding: { column: '', expected: TOO_DEEP, came, code: 'too-deep' } };
  const { twice } = survey;
  if (twice !== undefined) {
    return {
      finding: { column: twice, expected: 'every key once', came: `${show(twice)} twice`, code: 'duplicate-key' },
    };
  }
  return { object: value };
}
