import { escapeControls } from '../../contract/control-characters.ts';
import { columnInSheet, cutForExcel } from '../../contract/excel.ts';
import { isGuarded } from '../../inputs/formula-guard.ts';

/** A value of a cell: a text, a number, a link to a file in the folder, or nothing. */
export type SheetCell = string | number | { readonly file: string } | null;

/** A sheet of the workbook. */
export interface Sheet {
  readonly name: string;
  readonly columns: readonly string[];
  readonly rows: AsyncIterable<readonly SheetCell[]> | Iterable<readonly SheetCell[]>;
}

/** Cell formats: their index among the `cellXfs` of {@link STYLES_XML}. */
const STYLE = { header: 1, link: 2, text: 3 } as const;

/** The part `xl/styles.xml` of a workbook. */
export const STYLES_XML = document(
  'styleSheet',
  `<fonts count="3"><font><sz val="11"/><name val="Calibri"/></font><font><b/><sz val="11"/><name val="Calibri"/></font><font><u/><sz val="11"/><color rgb="FF0563C1"/><name val="Calibri"/></font></fonts>
<fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills>
<borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders>
<cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs>
<cellXfs count="4"><xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/><xf numFmtId="0" fontId="1" fillId="0" borderId="0" xfId="0" applyFont="1"/><xf numFmtId="0" fontId="2" fillId="0" borderId="0" xfId="0" applyFont="1"/><xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0" quotePrefix="1"/></cellXfs>
<cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles>`,
);

/** Characters to gather before they are yielded, to be compressed. */
const BUFFERED = 64 * 1024;
/** Columns that hold sentences. */
const WIDE = ['text', '_text', '_message'];
/** Max characters of a link: Excel's limit for a text in a formula. */
const MAX_LINK_LENGTH = 255;

/** Returns an XML document of the spreadsheet namespace. `attributes`: of the root, each with a space before. */
export function document(root: string, content: string, attributes = ''): string {
  return `${opening(root, attributes)}${content}</${root}>`;
}

function opening(root: string, attributes = ''): string {
  const namespace = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
  return `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n<${root} xmlns="${namespace}"${attributes}>`;
}

/** Yields the XML of a sheet, in pieces. The header row stays in view and has filters. */
export async function* sheetXml({ columns, rows }: Sheet): AsyncGenerator<string> {
  const letters = columns.map((_, index) => columnInSheet(index));
  const widths = columns.map(
    (name, index) =>
      `<col min="${index + 1}" max="${index + 1}" width="${WIDE.includes(name) ? 60 : 16}" customWidth="1"/>`,
  );
  const pane = '<pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/>';
  const view = `<sheetViews><sheetView workbookViewId="0">${pane}</sheetView></sheetViews>`;
  const header = columns.map((name, at) => textXml(`${letters[at] ?? ''}1`, name, STYLE.header)).join('');
  let gathered = `${opening('worksheet')}${view}<cols>${widths.join('')}</cols><sheetData><row r="1">${header}</row>`;
  let row = 1;
  for await (const cells of rows) {
    row += 1;
    gathered += `<row r="${row}">`;
    for (let at = 0; at < cells.length; at++) gathered += cellXml(`${letters[at] ?? ''}${row}`, cells[at] ?? null);
    gathered += '</row>';
    if (gathered.length < BUFFERED) continue;
    yield gathered;
    gathered = '';
  }
  yield `${gathered}</sheetData><autoFilter ref="A1:${letters.at(-1) ?? 'A'}${row}"/></worksheet>`;
}

/** Returns the XML of a cell. `at`: its address, such as `B7`. */
function cellXml(at: string, value: SheetCell): string {
  if (value === null || value === '') return '';
  if (typeof value === 'number') return `<c r="${at}"><v>${value}</v></c>`;
  if (typeof value === 'string') return textXml(at, cellText(value), /^[=+\-@\t\r]/u.test(value) ? STYLE.text : 0);
  const { file } = value;
  // `#` and `%` have another meaning in links, and Excel refuses a workbook with a longer one.
  if (/[#%]/u.test(file) || file.length > MAX_LINK_LENGTH) return textXml(at, cellText(file), 0);
  // A formula, because a sheet holds at most 65,530 hyperlinks.
  const formula = `HYPERLINK("${file.replaceAll('"', '""')}")`;
  return `<c r="${at}" s="${STYLE.link}" t="str"><f>${escapeXml(formula)}</f><v>${escapeXml(file)}</v></c>`;
}

/**
 * Returns a text as a cell shows it. An inline string is never a formula, so it needs no guard; but a text that looks
 * guarded gets one more, because reading the workbook as a manifest takes one off.
 */
function cellText(text: string): string {
  const shown = escapeControls(text);
  return cutForExcel(isGuarded(shown) ? `'${shown}` : shown);
}

function textXml(at: string, text: string, style: number): string {
  const styled = style === 0 ? '' : ` s="${style}"`;
  const space = /^\s|\s$|\n/u.test(text) ? ' xml:space="preserve"' : '';
  return `<c r="${at}"${styled} t="inlineStr"><is><t${space}>${escapeXml(text)}</t></is></c>`;
}

const XML_NAMES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '\r': '_x000D_' };

/**
 * Escapes a text for XML. Excel writes characters that XML does not keep like `_x000D_`, so a `_` that begins such a
 * sequence is escaped, too.
 */
export function escapeXml(text: string): string {
  if (!/[&<>\r_\ufffe\uffff]/u.test(text)) return text;
  return text
    .replaceAll(/_(?=x[\da-f]{4}_)/giu, '_x005F_')
    .replaceAll(/[&<>\r]/gu, (one) => XML_NAMES[one] ?? one)
    .replaceAll(/[\ufffe\uffff]/gu, '\ufffd');
}
