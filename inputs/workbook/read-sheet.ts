import { EXCEL_ROWS } from '../../contract/excel.ts';
import { formatNumber, NUMBER } from './cell-formats.ts';
import { damaged, UnreadableWorkbook } from './unreadable.ts';
import { cellText, type WorkbookParts } from './workbook-parts.ts';
import { attributeOf, plainText, scanPieces } from './xml-scanner.ts';

/** A cell without a usable value. */
export interface BadCell {
  /** The error in it, such as `#REF!`, or what it is instead. */
  readonly got: string;
}

/** A row of a sheet with at least one filled cell. */
export interface SheetRow {
  /** Its number in Excel, from 1. */
  readonly row: number;
  /** By column, from 0; empty cells at the end are left out. */
  readonly cells: readonly (string | BadCell)[];
}

/** Merged cells: their range as Excel writes it, their rows from 1, and their columns from 0. */
export interface MergedCells {
  readonly range: string;
  readonly rows: readonly [first: number, last: number];
  readonly columns: readonly [first: number, last: number];
}

/** Max columns of a sheet in Excel. */
const MAX_COLUMNS = 16_384;
/** Max ranges of merged cells to keep. */
const MAX_MERGED = 1_000;

/**
 * Reads the rows of a sheet, in portions. Throws {@link UnreadableWorkbook}.
 *
 * @param pieces the XML of the sheet
 * @param parts the texts and formats that its cells refer to
 * @param merged gets the merged cells, which the file lists after the rows
 */
export async function* readSheet(
  pieces: AsyncIterable<Buffer>,
  parts: WorkbookParts,
  merged: MergedCells[],
): AsyncGenerator<readonly SheetRow[]> {
  const reader = new SheetReader(parts, merged);
  yield* scanPieces(pieces, reader, () => reader.take());
}

/**
 * Gathers rows from the events of the XML scanner. Elements: a `row` has cells (`c`), a cell has a value (`v`, or `t`
 * for a text in place) and possibly a formula (`f`).
 */
class SheetReader {
  readonly #parts: WorkbookParts;
  readonly #merged: MergedCells[];
  #rows: SheetRow[] = [];
  /** Whether no element was read yet. */
  #isFirst = true;
  #row = 0;
  #cells: (string | BadCell)[] = [];
  // The current cell.
  #column = -1;
  #type = '';
  #style = 0;
  #isFormula = false;
  /** Text of its value; undefined without one. */
  #value: string | undefined;
  /** Whether the text that is being read belongs to the value. */
  #isValue = false;
  /** Whether it is a pronunciation hint (`rPh`), which is no part of the value. */
  #isHint = false;

  constructor(parts: WorkbookParts, merged: MergedCells[]) {
    this.#parts = parts;
    this.#merged = merged;
  }

  /** Returns the rows since the last call. */
  take(): readonly SheetRow[] {
    const rows = this.#rows;
    this.#rows = [];
    return rows;
  }

  readonly open = (name: string, attributes: string): void => {
    if (this.#isFirst && name !== 'worksheet') throw new UnreadableWorkbook('the sheet is no table of cells');
    this.#isFirst = false;
    if (name === 'c') this.#beginCell(attributes);
    else if (name === 'v' || (name === 't' && !this.#isHint)) {
      this.#value ??= '';
      this.#isValue = true;
    } else if (name === 'f') this.#isFormula = true;
    else if (name === 'rPh') this.#isHint = true;
    else if (name === 'row') this.#beginRow(attributes);
    else if (name === 'mergeCell' && this.#merged.length < MAX_MERGED)
      this.#merged.push(mergedCells(attributeOf(attributes, 'ref') ?? ''));
  };

  readonly text = (text: string): void => {
    if (this.#isValue) this.#value = (this.#value ?? '') + text;
  };

  readonly close = (name: string): void => {
    if (name === 'v' || name === 't') this.#isValue = false;
    else if (name === 'rPh') this.#isHint = false;
    else if (name === 'c') this.#endCell();
    else if (name === 'row') {
      if (this.#cells.length > 0) this.#rows.push({ row: this.#row, cells: this.#cells });
      this.#cells = [];
    }
  };

  #beginRow(attributes: string): void {
    const row = Number(attributeOf(attributes, 'r') ?? this.#row + 1);
    if (!Number.isSafeInteger(row) || row <= this.#row || row > EXCEL_ROWS) throw damaged('the numbers of its rows');
    this.#row = row;
    this.#column = -1;
  }

  #beginCell(attributes: string): void {
    const at = attributeOf(attributes, 'r');
    const column = at === undefined ? this.#column + 1 : placeOf(at)?.column;
    if (column === undefined || column <= this.#column || column >= MAX_COLUMNS)
      throw damaged('the places of its cells');
    this.#column = column;
    this.#type = attributeOf(attributes, 't') ?? 'n';
    this.#style = Number(attributeOf(attributes, 's') ?? 0);
    this.#isFormula = false;
    this.#value = undefined;
  }

  #endCell(): void {
    const cell = this.#cellOf(this.#value);
    if (cell === '') return;
    while (this.#cells.length < this.#column) this.#cells.push('');
    this.#cells.push(cell);
  }

  /** Converts a value by the type and format of its cell. */
  #cellOf(value: string | undefined): string | BadCell {
    const isText = this.#type === 'str' || this.#type === 'inlineStr';
    if (this.#isFormula && (value === undefined || (value === '' && !isText)))
      return { got: 'a formula whose result is not in the file' };
    if (value === undefined || value === '') return '';
    switch (this.#type) {
      case 's':
        return this.#parts.texts[Number(value)] ?? unknownText();
      case 'str':
      case 'inlineStr':
        return cellText(value);
      case 'b':
        return value.trim() === '1' || value.trim() === 'true' ? 'true' : 'false';
      case 'e':
        return { got: plainText(value) };
      case 'd':
        return plainText(value);
      default: {
        const number = Number(value);
        if (!Number.isFinite(number)) throw damaged('a number that is none');
        return formatNumber(number, this.#parts.formats[this.#style] ?? NUMBER, this.#parts.is1904);
      }
    }
  }
}

function unknownText(): never {
  throw damaged('a text that is missing');
}

/** Parses a place such as `B7`: its row, from 1, and its column, from 0. */
function placeOf(place: string): { readonly row: number; readonly column: number } | undefined {
  let [column, at] = [0, 0];
  for (; at < place.length; at++) {
    const letter = place.charCodeAt(at) - 64;
    if (letter < 1 || letter > 26) break;
    column = column * 26 + letter;
  }
  const row = Number(place.slice(at));
  return column > 0 && Number.isSafeInteger(row) ? { row, column: column - 1 } : undefined;
}

function mergedCells(range: string): MergedCells {
  const [first = '', last = first] = range.split(':');
  const [from, to] = [placeOf(first), placeOf(last)];
  if (from === undefined || to === undefined) throw damaged('the places of merged cells');
  return { range, rows: [from.row, to.row], columns: [from.column, to.column] };
}
