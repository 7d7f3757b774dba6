import { Parser } from 'csv-parse';
import type { CsvError } from 'csv-parse';
import { ByteCheck, bytesOf, type ManifestBytes, MAX_RECORD_BYTES, type RawItem } from './check-bytes.ts';
import type { Delimiter } from '../contract/table-format.ts';
import type { ManifestProblem } from '../contract/manifest-problems.ts';

const CHUNK_BYTES = 64 * 1024;
/** Bytes to parse at once; their rows are in memory together (docs/decisions/memory.md). */
const PARSED_BYTES = 8 * 1024;

/**
 * Reads delimited text, one batch of records per piece of its bytes. Skips blank lines. Counts lines itself, from the
 * line breaks in the cells: the parser counts a CR LF inside quotes twice.
 */
export async function* readCsv(from: ManifestBytes, delimiter: Delimiter): AsyncGenerator<readonly RawItem[]> {
  const check = new ByteCheck();
  const records = new RecordCollector();
  const parser = new RecordParser(delimiter, records);
  // Failures arrive in the callbacks below; without a listener the event would end the process.
  parser.on('error', () => undefined);
  try {
    for await (const chunk of piecesOf(bytesOf(from, CHUNK_BYTES))) {
      const { bytes, problem } = check.accept(chunk);
      const failure = await write(parser, bytes);
      yield records.take();
      const stop = failure === undefined ? problem : records.explain(failure);
      if (stop !== undefined) {
        yield [{ type: 'problem', problem: stop }];
        return;
      }
    }
    const failure = await end(parser);
    yield records.take();
    const stop = check.end() ?? (failure === undefined ? undefined : records.explain(failure));
    if (stop !== undefined) yield [{ type: 'problem', problem: stop }];
    else yield [{ type: 'end', digest: check.digest() }];
  } finally {
    parser.destroy();
  }
}

async function* piecesOf(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  for await (const chunk of chunks)
    for (let at = 0; at < chunk.length; at += PARSED_BYTES) yield chunk.subarray(at, at + PARSED_BYTES);
}

/**
 * Passes records on as they are parsed. With `on_record`, csv-parse would describe each of them in an object of 15
 * members.
 */
class RecordParser extends Parser {
  readonly #records: RecordCollector;

  constructor(delimiter: Delimiter, records: RecordCollector) {
    super({
      delimiter,
      record_delimiter: ['\r\n', '\n', '\r'],
      relax_column_count: true,
      max_record_size: MAX_RECORD_BYTES,
    });
    this.#records = records;
  }

  override push(record: string[] | null): boolean {
    if (record === null) return super.push(null);
    this.#records.add(record);
    return true;
  }
}

/** Gives each record its line, and keeps the header to name columns in messages. */
class RecordCollector {
  #items: RawItem[] = [];
  #header: readonly string[] | undefined;
  #line = 1;

  add(cells: readonly string[]): void {
    const line = this.#line;
    this.#line++;
    for (const cell of cells) this.#line += countBreaks(cell);
    if (cells.length === 1 && cells[0] === '') return;
    if (this.#header === undefined) {
      this.#header = cells;
      this.#items.push({ type: 'columns', line, names: cells });
    } else {
      this.#items.push({ type: 'record', line, cells });
    }
  }

  take(): readonly RawItem[] {
    const items = this.#items;
    this.#items = [];
    return items;
  }

  /** Explains the parser's failure in terms of the current record. */
  explain(failure: CsvError): ManifestProblem {
    const index: unknown = failure['column'];
    const at = typeof index === 'number' ? index : 0;
    const column = (this.#header?.[at] ?? '').trim() || `#${at + 1}`;
    const where = { line: this.#line, id: '', column };
    const rest = 'the rest was not checked';
    switch (failure.code) {
      case 'CSV_QUOTE_NOT_CLOSED':
        return {
          ...where,
          code: 'broken-quote',
          expected: `a closing quote for this cell of the record that begins here; ${rest}`,
          came: 'the end of the file',
        };
      case 'CSV_MAX_RECORD_SIZE':
        return {
          ...where,
          code: 'record-too-long',
          expected: `a record of at most 10 MB (is a quote left open in the record that begins here?); ${rest}`,
          came: 'more',
        };
      default:
        return {
          ...where,
          code: 'broken-quote',
          expected: `quotes around a whole cell, and quotes inside it doubled; ${rest}`,
          came:
            failure.code === 'CSV_INVALID_CLOSING_QUOTE'
              ? 'text after a closing quote (or a cell whose quote was never closed)'
              : 'a quote in the middle of a cell',
        };
    }
  }
}

function countBreaks(cell: string): number {
  if (!cell.includes('\n') && !cell.includes('\r')) return 0;
  return cell.match(/\r\n|\n|\r/g)?.length ?? 0;
}

function write(parser: Parser, bytes: Buffer): Promise<CsvError | undefined> {
  return new Promise((resolve, reject) => {
    parser.write(bytes, (error) => {
      settle(error, resolve, reject);
    });
  });
}

function end(parser: Parser): Promise<CsvError | undefined> {
  return new Promise((resolve, reject) => {
    parser.end((error?: Error | null) => {
      settle(error, resolve, reject);
    });
  });
}

/** A parse failure is a result; anything else is a bug. */
function settle(
  error: Error | null | undefined,
  resolve: (failure: CsvError | undefined) => void,
  reject: (error: Error) => void,
): void {
  if (error == null) resolve(undefined);
  else if (isCsvError(error)) resolve(error);
  else reject(error);
}

function isCsvError(error: Error): error is CsvError {
  return 'code' in error && typeof error.code === 'string' && /^(CSV_|INVALID_)/.test(error.code);
}
