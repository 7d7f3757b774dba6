import { Parser } from 'csv-parse';
import type { CsvError } from 'csv-parse';
import { ByteCheck, bytesOf, type ManifestBytes, MAX_RECORD_BYTES, type RawItem } from './check-bytes.ts';
import type { Delimiter } from '../contract/table-format.ts';
import type { ManifestProblem } from '../contract/manifest-problems.ts';

/** Bytes read at once. */
const CHUNK_BYTES = 64 * 1024;
/** Bytes parsed at once: their rows are in memory together (docs/decisions/memory.md). */
const PARSED_BYTES = 8 * 1024;

/**
 * Reads delimited text. Yields the records of each {@link PARSED_BYTES}, the header first, and the sha256 of all bytes
 * last. Skips blank lines. A fault that makes the rest unreadable ends the reading with a problem.
 */
export async function* readCsv(from: ManifestBytes, delimiter: Delimiter): AsyncGenerator<readonly RawItem[]> {
  const check = new ByteCheck();
  const parser = new RecordParser(delimiter);
  // Failures arrive in the callbacks below; without a listener the event would end the process.
  parser.on('error', () => undefined);
  try {
    for await (const chunk of piecesOf(bytesOf(from, CHUNK_BYTES))) {
      const { bytes, problem } = check.accept(chunk);
      const failure = await settled((done) => parser.write(bytes, done));
      yield parser.records();
      const stop = failure === undefined ? problem : parser.explain(failure);
      if (stop !== undefined) {
        yield [{ type: 'problem', problem: stop }];
        return;
      }
    }
    const failure = await settled((done) => parser.end(done));
    yield parser.records();
    const stop = check.end() ?? (failure === undefined ? undefined : parser.explain(failure));
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
 * Gathers the parser's records with their lines, and keeps the header to name columns in messages. Overrides `push`,
 * because with `on_record`, csv-parse would create an object of 15 members for each record. Counts lines itself, by the
 * line breaks in cells, because the parser counts a CR LF inside quotes twice.
 */
class RecordParser extends Parser {
  /** Records since {@link records} was called last. */
  #items: RawItem[] = [];
  #header: readonly string[] | undefined;
  /** Line of the next record. */
  #line = 1;

  constructor(delimiter: Delimiter) {
    super({
      delimiter,
      record_delimiter: ['\r\n', '\n', '\r'],
      relax_column_count: true,
      max_record_size: MAX_RECORD_BYTES,
    });
  }

  /** Called by the parser with each record, and with null at the end. */
  override push(cells: string[] | null): boolean {
    if (cells === null) return super.push(null);
    const line = this.#line;
    this.#line++;
    for (const cell of cells) this.#line += countBreaks(cell);
    if (cells.length === 1 && cells[0] === '') return true;
    this.#items.push(
      this.#header === undefined ? { type: 'columns', line, names: cells } : { type: 'record', line, cells },
    );
    this.#header ??= cells;
    return true;
  }

  /** Returns the records that were parsed since the last call. */
  records(): readonly RawItem[] {
    const items = this.#items;
    this.#items = [];
    return items;
  }

  /** Explains the parser's failure in terms of the current record. */
  explain(failure: CsvError): ManifestProblem {
    const index: unknown = failure['column'];
    const at = typeof index === 'number' ? index : 0;
    const column = (this.#header?.[at] ?? '').trim() || `#${at + 1}`;
    const problem = (code: ManifestProblem['code'], expected: string, got: string): ManifestProblem => {
      return { line: this.#line, id: '', column, code, expected: `${expected}; the rest was not checked`, got };
    };
    switch (failure.code) {
      case 'CSV_QUOTE_NOT_CLOSED': {
        const expected = 'a closing quote for this cell of the record that begins here';
        return problem('broken-quote', expected, 'the end of the file');
      }
      case 'CSV_MAX_RECORD_SIZE': {
        const expected = 'a record of at most 10 MB (is a quote left open in the record that begins here?)';
        return problem('record-too-long', expected, 'more');
      }
      default: {
        const got =
          failure.code === 'CSV_INVALID_CLOSING_QUOTE'
            ? 'text after a closing quote (or a cell whose quote was never closed)'
            : 'a quote in the middle of a cell';
        return problem('broken-quote', 'quotes around a whole cell, and quotes inside it doubled', got);
      }
    }
  }
}

function countBreaks(cell: string): number {
  if (!cell.includes('\n') && !cell.includes('\r')) return 0;
  return cell.match(/\r\n|\n|\r/g)?.length ?? 0;
}

/** Waits for a call with a callback. Returns an error of the parser; rejects with any other, which is a bug. */
function settled(action: (done: (error?: Error | null) => void) => void): Promise<CsvError | undefined> {
  return new Promise((resolve, reject) => {
    action((error) => {
      if (error == null) resolve(undefined);
      else if (isCsvError(error)) resolve(error);
      else reject(error);
    });
  });
}

function isCsvError(error: Error): error is CsvError {
  return 'code' in error && typeof error.code === 'string' && /^(CSV_|INVALID_)/.test(error.code);
}
