import { open, type FileHandle } from 'node:fs/promises';
import { isCutForExcel, placeInSheet } from '../../contract/excel.ts';
import type { ManifestProblem } from '../../contract/manifest-problems.ts';
import { MAX_RECORD_BYTES } from '../check-bytes.ts';
import { readSheet, type BadCell, type MergedCells, type SheetRow } from './read-sheet.ts';
import { UnreadableWorkbook } from './unreadable.ts';
import { readParts } from './workbook-parts.ts';
import { ZipArchive } from './zip-archive.ts';

/** A line of the file that {@link spoolWorkbook} writes: the number of a row with its cells, or a problem. */
export type SpooledLine = readonly [row: number, cells: readonly string[]] | ManifestProblem;

/** Max bytes of all lines, because many cells may refer to few large texts. */
const MAX_BYTES = 2 * 1024 ** 3;

/** Columns with `_` that are read all the same: those of our outcome files. */
const OURS = ['_batch', '_row', '_job_ids'];

/**
 * Writes the rows of a sheet to a file, as lines of JSON, which `read-spooled.ts` reads. The digest of a manifest is
 * that of this file: a workbook that was only opened and saved again has other bytes, but the same rows. Throws {@link
 * UnreadableWorkbook}.
 *
 * @param sheet name of the sheet; default: the first that is not hidden
 * @param into path of the file, which must not exist
 */
export async function spoolWorkbook(path: string, sheet: string | undefined, into: string): Promise<void> {
  const [from, to] = [await open(path), await open(into, 'wx', 0o600)];
  try {
    const archive = await ZipArchive.open(from);
    const parts = await readParts(archive, sheet);
    const merged: MergedCells[] = [];
    const spool = new Spool(to);
    for await (const rows of readSheet(archive.read(parts.sheet), parts, merged)) await spool.add(rows);
    await spool.end(merged);
  } finally {
    await from.close();
    await to.close();
  }
}

/** Writes rows, and finds problems of cells. */
class Spool {
  readonly #file: FileHandle;
  /** The cells of the first row; undefined before it. */
  #header: readonly string[] | undefined;
  #headerRow = 0;
  #lastRow = 0;
  #bytes = 0;

  constructor(file: FileHandle) {
    this.#file = file;
  }

  async add(rows: readonly SheetRow[]): Promise<void> {
    let text = '';
    for (const { row, cells } of rows) {
      const isHeader = this.#header === undefined;
      if (this.#header === undefined) [this.#header, this.#headerRow] = [cells.map(textOf), row];
      const problems = isHeader ? badNames(row, cells) : this.#findBad(row, cells);
      const line: SpooledLine = [row, padded(cells.map(textOf), this.#header.length)];
      text += linesOf(isHeader || problems.length === 0 ? [line, ...problems] : problems);
      this.#lastRow = row;
      if (text.length > MAX_RECORD_BYTES) text = await this.#write(text);
    }
    await this.#write(text);
  }

  /** Writes the problems that are known only at the end. */
  async end(merged: readonly MergedCells[]): Promise<void> {
    await this.#write(linesOf(merged.flatMap((cells) => this.#findMerged(cells))));
  }

  /** Finds cells without a usable value in columns that are read. */
  #findBad(row: number, cells: SheetRow['cells']): readonly ManifestProblem[] {
    return cells.flatMap((cell, at) => {
      const column = this.#columnAt(at);
      if (column === undefined) return [];
      if (typeof cell !== 'string') return [bad(row, at, column, cell)];
      return isCutForExcel(cell) ? [bad(row, at, column, { got: 'a text that was cut' })] : [];
    });
  }

  /**
   * Reports merged cells in columns that are read: their value may be meant for all of them, or for the first only, and
   * what is paid for must not depend on a guess.
   */
  #findMerged({ range, rows: [first, last], columns: [from, to] }: MergedCells): readonly ManifestProblem[] {
    if (last < this.#headerRow || first > this.#lastRow) return [];
    const columns = Array.from(
      { length: Math.min(to, this.#header?.length ?? 0) - from + 1 },
      (_, index) => from + index,
    );
    const column = columns.map((at) => this.#columnAt(at)).find((name) => name !== undefined);
    if (column === undefined) return [];
    const expected =
      'cells that are not merged, each with its own value (in Excel: unmerge them, and fill the empty ones)';
    return [{ line: first, id: '', column, expected, got: `merged cells ${range}`, code: 'merged-cells' }];
  }

  /** Returns the name of a column whose cells are read; undefined for any other. */
  #columnAt(at: number): string | undefined {
    const name = this.#header?.[at]?.trim() ?? '';
    return name === '' || (name.startsWith('_') && !OURS.includes(name)) ? undefined : name;
  }

  /** Writes lines. Returns the empty text, to go on with. */
  async #write(text: string): Promise<''> {
    this.#bytes += Buffer.byteLength(text);
    if (this.#bytes > MAX_BYTES) throw new UnreadableWorkbook('its cells hold more than 2 GB; save it as "CSV UTF-8"');
    await this.#file.writeFile(text);
    return '';
  }
}

function linesOf(lines: readonly SpooledLine[]): string {
  return lines.map((line) => `${JSON.stringify(line)}\n`).join('');
}

/** Finds headers without a usable value. */
function badNames(row: number, cells: SheetRow['cells']): readonly ManifestProblem[] {
  return cells.flatMap((cell, at) => (typeof cell === 'string' ? [] : [bad(row, at, '', cell)]));
}

/** Returns the problem of a cell without a usable value. */
function bad(row: number, at: number, column: string, { got }: BadCell): ManifestProblem {
  const expected = 'a value (correct the formula, or open the file in Excel and save it, so that results are in it)';
  return { line: row, id: '', column, expected, got: `${got} in cell ${placeInSheet(row, at)}`, code: 'bad-cell' };
}

/** Returns the text of a cell; a bad cell counts as empty, because it is reported, or not read. */
function textOf(cell: string | BadCell): string {
  return typeof cell === 'string' ? cell : '';
}

/** Adds empty cells up to a length. */
function padded(cells: readonly string[], length: number): readonly string[] {
  return cells.length >= length ? cells : [...cells, ...new Array<string>(length - cells.length).fill('')];
}
