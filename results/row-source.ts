import { open } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { isNativeError } from 'node:util/types';
import { parse } from 'csv-parse';
import type { ZodError, ZodType } from 'zod';
import type { TableFormat } from '../contract/table-format.ts';
import type { Findings } from './verification/mismatch.ts';

/** A line of a file, and its row. */
export interface RowLine<T> {
  readonly row: number;
  readonly value: T;
}

/** A line that cannot be parsed; `bad`: which, and why. */
export interface BadLine {
  readonly bad: string;
}

/**
 * Reads a table row by row, so that `verify` can read several tables side by side without keeping them in memory. Call
 * `take` for each row number in ascending order. Lines out of order are findings. If the file cannot be read any
 * further, `isBroken` is true, and no lines come any more.
 */
export class RowSource<T> {
  readonly name: string;
  readonly #lines: AsyncIterator<RowLine<T> | BadLine>;
  readonly #findings: Findings;
  #next: RowLine<T> | undefined;
  #begun = false;
  isBroken = false;

  constructor(name: string, lines: AsyncIterable<RowLine<T> | BadLine>, findings: Findings) {
    this.name = name;
    this.#lines = lines[Symbol.asyncIterator]();
    this.#findings = findings;
  }

  /** Returns all lines of a row. Row numbers must ascend from call to call. */
  async take(row: number): Promise<readonly T[]> {
    if (!this.#begun) await this.#advance();
    const taken: T[] = [];
    while (this.#next !== undefined && this.#next.row <= row) {
      if (this.#next.row === row) taken.push(this.#next.value);
      else this.#findings.add(this.name, `a line of row ${row} or later next`, `one of row ${this.#next.row}`);
      await this.#advance();
    }
    return taken;
  }

  /** Reads to the end, and reports every remaining line as surplus. `rows`: the number of rows. */
  async finish(rows: number): Promise<void> {
    if (!this.#begun) await this.#advance();
    while (this.#next !== undefined) {
      this.#findings.add(this.name, `no row but 1 to ${rows}`, `a line of row ${this.#next.row}`);
      await this.#advance();
    }
  }

  /** Reads the next valid line. */
  async #advance(): Promise<void> {
    this.#begun = true;
    try {
      for (;;) {
        const item = await this.#lines.next();
        this.#next = undefined;
        if (item.done === true) return;
        if (!('bad' in item.value)) {
          this.#next = item.value;
          return;
        }
        this.#findings.add(this.name, 'a line of ours', item.value.bad);
      }
    } catch (error) {
      this.isBroken = true;
      this.#next = undefined;
      this.#findings.add(this.name, 'a file that can be read', isNativeError(error) ? error.message : String(error));
    }
  }
}

/** A record of a CSV file, with the file's header. */
export interface CsvRecord {
  readonly header: readonly string[];
  readonly cells: readonly string[];
}

/** What csv-parse returns with the option `info`. */
interface CsvItem {
  readonly record: readonly string[];
  readonly info: { readonly lines: number };
}

/** Yields the records of one of our CSV files, unchanged. Throws if it is not valid CSV. */
export async function* readCsvRows(
  path: string,
  { delimiter, bom }: TableFormat,
): AsyncGenerator<RowLine<CsvRecord> | BadLine> {
  const parser = parse({ info: true, delimiter, bom });
  const file = await open(path);
  // A read error destroys the parser, which then throws below; nothing else awaits this promise.
  pipeline(file.createReadStream(), parser).catch(() => undefined);
  let header: readonly string[] | undefined;
  for await (const item of parser as AsyncIterable<CsvItem>) {
    const { record, info } = item;
    if (header === undefined) header = record;
    else {
      const row = rowNumber(record[header.indexOf('_row')]);
      yield row === undefined
        ? { bad: `the record that ends on line ${info.lines}, which names no row` }
        : { row, value: { header, cells: record } };
    }
  }
}

/** Yields the lines of one of our JSONL files. `rowKey`: the key of the row number; `schema`: of a line. */
export async function* readJsonRows<T>(
  path: string,
  rowKey: string,
  schema: ZodType<T>,
): AsyncGenerator<RowLine<T> | BadLine> {
  const file = await open(path);
  let line = 0;
  for await (const text of file.readLines()) {
    line += 1;
    yield readJsonRow(text, line, rowKey, schema);
  }
}

function readJsonRow<T>(text: string, line: number, rowKey: string, schema: ZodType<T>): RowLine<T> | BadLine {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return { bad: `line ${line}, which is not JSON` };
  }
  const value = schema.safeParse(json);
  if (!value.success) return { bad: `line ${line}, ${firstIssue(value.error)}` };
  const row = rowNumber(Reflect.get(json as object, rowKey));
  return row === undefined ? { bad: `line ${line}, which names no row` } : { row, value: value.data };
}

function rowNumber(value: unknown): number | undefined {
  const row = Number(value);
  return Number.isSafeInteger(row) && row > 0 ? row : undefined;
}

/** Returns the first issue of a failed parse: where, and what was expected. */
export function firstIssue({ issues }: ZodError): string {
  return issues
    .slice(0, 1)
    .map(({ path, message }) => `${path.join('.')}: ${message}`)
    .join('');
}
