import { outcomeFile, RESULTS_XLSX } from '../contract/outcomes.ts';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { decimalOf, type TableFormat } from '../contract/table-format.ts';
import { allowReplacing, keepEdited, replaceableIn, writtenLast } from './redrive/edited-tables.ts';
import type { KeptTable } from './redrive/edited-tables.ts';
import { FINISHED, JOINED, type FinishedLine, type JoinedLine, type SoundList } from './sound/sound-lists.ts';
import { csvLine, jsonLine, type LineValue } from './line-formats.ts';
import { receiptSchema } from './receipt.ts';
import type { Receipt } from './receipt.ts';
import { RESULT_COLUMNS } from './result-line.ts';
import type { ResultFields } from './result-line.ts';
import {
  CLAIM_FILE,
  EDITED_FILES,
  PROJECTED_FILES,
  RECEIPTS_JSONL,
  REPLACEABLE_FILE,
  RESULTS_CSV,
  RESULTS_JSONL,
  SUMMARY_FILE,
} from './out-files.ts';
import type { Summary } from './summary.ts';
import type { WorkbookAnswer } from './workbook/write-workbook.ts';
import { AtomicFile } from './atomic-file.ts';

const RECEIPT_COLUMNS = Object.keys(receiptSchema.shape) as (keyof Receipt)[];

/** Makes the summary, given the sha256 of each table by file name. */
type SummaryOf = (hashes: Readonly<Record<string, string>>) => Summary;

/** Files that were kept under other names when they were replaced. */
export interface Kept {
  /** Tables that somebody had edited. */
  readonly tables: readonly KeptTable[];
  /** Subfolder with the files that a newer state of the ledger had written; undefined if there were none. */
  readonly former: string | undefined;
}

/**
 * Writes the tables and the summary of a batch into its out folder. Call `add` for each row, then `seal`, then
 * `publish`: only that makes the files visible, by renaming them one right after the other. `abandon` removes whatever
 * is not published; call it in any case.
 */
export class BatchFiles {
  readonly #out: string;
  readonly #columns: readonly string[];
  readonly #format: TableFormat;
  readonly #open = new Map<string, AtomicFile>();
  /** sha256 of each table; complete once they are sealed. */
  readonly #hashes: Record<string, string> = {};

  private constructor(out: string, inputColumns: readonly string[], format: TableFormat) {
    this.#out = out;
    this.#format = format;
    this.#columns = [...inputColumns, ...RESULT_COLUMNS];
  }

  /** `format`: delimiter and byte order mark of the tables that are not JSON lines. */
  static async create(out: string, inputColumns: readonly string[], format: TableFormat): Promise<BatchFiles> {
    const files = new BatchFiles(out, inputColumns, format);
    try {
      await files.#file(RESULTS_JSONL);
      await files.#file(RECEIPTS_JSONL);
      await files.#table(RESULTS_CSV);
    } catch (error) {
      await files.abandon();
      throw error;
    }
    return files;
  }

  /** Adds a row: its line in each table, and its receipts. */
  async add(input: readonly string[], fields: ResultFields, receipts: readonly Receipt[]): Promise<void> {
    const values = [...input, ...RESULT_COLUMNS.map((column) => fields[column])];
    const line = csvLine(values, this.#format.delimiter);
    await (await this.#table(RESULTS_CSV)).write(line);
    await (await this.#file(RESULTS_JSONL)).write(jsonLine(this.#columns, values));
    const outcomeTable = outcomeFile(fields._outcome);
    if (outcomeTable !== undefined) await (await this.#table(outcomeTable)).write(line);
    const receiptsFile = await this.#file(RECEIPTS_JSONL);
    for (const receipt of receipts) {
      // Only receipts of parts have this column.
      const columns = RECEIPT_COLUMNS.filter((column) => column !== 'part' || receipt.part !== undefined);
      await receiptsFile.write(
        jsonLine(
          columns,
          columns.map((column) => receipt[column] ?? null),
        ),
      );
    }
  }

  /** Adds the list of files that `--join` made. */
  async addJoined(lines: readonly JoinedLine[]): Promise<void> {
    await this.#addList(JOINED, lines);
  }

  /** Adds the list of finished copies. */
  async addFinished(lines: readonly FinishedLine[]): Promise<void> {
    await this.#addList(FINISHED, lines);
  }

  /** Completes the tables that are not sealed yet, and records their hashes. */
  async #sealTables(): Promise<void> {
    for (const name of PROJECTED_FILES) {
      const file = this.#open.get(name);
      if (file !== undefined) this.#hashes[name] ??= await file.seal();
    }
  }

  async #addList(
    { csv, line: { shape }, figures }: SoundList,
    lines: readonly Readonly<Record<string, string>>[],
  ): Promise<void> {
    const columns = Object.keys(shape);
    const file = await this.#table(csv, columns);
    const valueOf = (column: string, cell = ''): LineValue =>
      cell !== '' && figures.includes(column) ? Number(cell) : cell;
    for (const line of lines) {
      const values = columns.map((column) => valueOf(column, line[column]));
      await file.write(csvLine(values, this.#format.delimiter));
    }
  }

  /**
   * Adds the workbook, made from the tables. `summaryOf`: as for {@link seal}. `numbers`: the input columns whose cells
   * are numbers. If it is too large for Excel, there is none, and the answer says why.
   */
  async addWorkbook(summaryOf: SummaryOf, numbers: ReadonlySet<string>): Promise<WorkbookAnswer> {
    await this.#sealTables();
    const file = await this.#file(RESULTS_XLSX);
    const { writeWorkbook } = await import('./workbook/write-workbook.ts');
    const source = { results: (await this.#file(RESULTS_JSONL)).part, summary: summaryOf(this.#hashes) };
    const facts = { columns: this.#columns, numbers, decimal: decimalOf(this.#format) };
    const answer = await writeWorkbook((bytes) => file.writeBytes(bytes), { ...source, ...facts });
    if (answer === 'written') return answer;
    await file.abandon();
    this.#open.delete(RESULTS_XLSX);
    return answer;
  }

  /** Adds the summary, and syncs all files to disk. `summaryOf` receives the sha256 of each table. */
  async seal(summaryOf: SummaryOf): Promise<void> {
    await this.#sealTables();
    const summary = await this.#file(SUMMARY_FILE);
    await summary.write(`${JSON.stringify(summaryOf(this.#hashes), null, 2)}\n`);
    await summary.seal();
  }

  /**
   * Replaces all earlier files by the sealed ones, removes outcome files that have no rows, and replaces the
   * summary last. Tables that somebody has edited are kept under other names, which are returned. Only one process at a
   * time may publish to a folder.
   */
  async publish(): Promise<readonly KeptTable[]> {
    const written = await writtenLast(this.#out);
    const known = await replaceableIn(this.#out, written);
    // A person may have saved a table under this name.
    const isOurs = (name: string): boolean => name !== RESULTS_XLSX || this.#open.has(name) || name in written;
    const edited = EDITED_FILES.filter(isOurs);
    const kept = await this.#keepEdited(edited, Object.values(this.#hashes), known);
    for (const name of PROJECTED_FILES.filter(isOurs)) {
      const file = this.#open.get(name);
      await (file === undefined ? rm(join(this.#out, name), { force: true }) : file.publish());
    }
    await this.#open.get(SUMMARY_FILE)?.publish();
    for (const name of [CLAIM_FILE, REPLACEABLE_FILE]) await rm(join(this.#out, name), { force: true });
    return kept;
  }

  /** Removes files that are not published. */
  async abandon(): Promise<void> {
    for (const file of this.#open.values()) await file.abandon();
  }

  /** Keeps edited tables before they are replaced. `known`: contents that may be replaced. */
  async #keepEdited(
    names: readonly string[],
    hashes: readonly string[],
    known: ReadonlySet<string>,
  ): Promise<readonly KeptTable[]> {
    // The new contents. Recorded before they are published, so that after a kill they do not count as edited.
    const added = hashes.filter((sha256) => !known.has(sha256));
    const mayReplace = new Set([...known, ...added]);
    const kept: KeptTable[] = [];
    for (const name of names) {
      const one = await keepEdited(this.#out, name, mayReplace);
      if (one !== undefined) kept.push(one);
    }
    if (added.length > 0) await allowReplacing(this.#out, added);
    return kept;
  }

  /** Opens a CSV table; writes the header when it is opened first. */
  async #table(name: string, columns: readonly string[] = this.#columns): Promise<AtomicFile> {
    const isNew = !this.#open.has(name);
    const file = await this.#file(name);
    const { delimiter, bom } = this.#format;
    if (isNew) await file.write(`${bom ? '\uFEFF' : ''}${csvLine(columns, delimiter)}`);
    return file;
  }

  /** Opens a file, once. */
  async #file(name: string): Promise<AtomicFile> {
    const known = this.#open.get(name);
    if (known !== undefined) return known;
    const file = await AtomicFile.create(join(this.#out, name));
    this.#open.set(name, file);
    return file;
  }
}
