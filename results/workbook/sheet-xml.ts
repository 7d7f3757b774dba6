import { escapeControls } from '../../contract/control-characters.ts';
import { columnInSheet, cutForExcel } from '../../contract/excel.ts';
import { isGuarded } from '../../inputs/formula-guard.ts';

/** A value of a cell: a text, a number, a link to a file in the folder, or nothing. */
export type SheetCell = string | number | { readonly file: string } | null;

/** A sheet: its columns, and its rows as they come. */
export interface Sheet {
  readonly name: string;
  readonly columns: readonly string[];
  readonly rows: AsyncIterable<readonly SheetCell[]> | Iterable<readonly SheetCell[]>;
}

/** Formats of cells, by their place in `styles.xml`. */
const STYLE = { header: 1, link: 2, text: 3 } as const;

export const STYLES_XML = document(
  'styleSheet',
  `<fonts count="3"><font><sz val="11"/><name val="Calibri"/></font><font><b/><sz val="11"/><name val="Calibri"/></font><font><u/><sz val="11"/><color rgb="FF0563C1"/><name val="Calibri"/></font></fonts>
<fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills>
<borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders>
<cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs>
<cellXfs count="4"><xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/><xf numFmtId="0" fontId="1" fillId="0" borderId="0" xfId="0" applyFont="1"/><xf numFmtId="0" fontId="2" fillId="0" borderId="0" xfId="0" applyFont="1"/><xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0" quotePrefix="1"/></cellXfs>
<cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles>`,
);

/** Characters to gather before they are compressed. */
const BUFFERED = 64 * 1024;
/** Columns that hold sentences. */
const WIDE = ['text', '_text', '_message'];
/** Longest path of a link: Excel's limit for a text in a formula. */
const LONGEST_LINK = 255;

/** A part of the workbook. */
export function document(root: string, content: string, attributes = ''): string {
  return `${opening(root, attributes)}${content}</${root}>`;
}

function opening(root: string, attributes = ''): string {
  const namespace = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
  return `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n<${root} xmlns="${namespace}"${attributes}>`;
}

/** The XML of a sheet, in pieces. Its header row stays in view and has filters. */
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

function cellXml(at: string, value: SheetCell): string {
  if (value === null || value === '') return '';
  if (typeof value === 'number') return `<c r="${at}"><v>${value}</v></c>`;
  if (typeof value === 'string') return textXml(at, cellText(value), /^[=+\-@\t\r]/u.test(value) ? STYLE.text : 0);
  const { file } = value;
  // In a link these mean something else, and what is too long is an error.
  if (/[#%]/u.test(file) || file.length > LONGEST_LINK) return textXml(at, cellText(file), 0);
  // A sheet holds at most 65,530 links of the other kind.
  const formula = `HYPERLINK("${file.replaceAll('"', '""')}")`;
  return `<c r="${at}" s="${STYLE.link}" t="str"><f>${escapeXml(formula)}</f><v>${escapeXml(file)}</v></c>`;
}

/**
 * A text is never a formula here. Only one that looks guarded is guarded once more, so that it is read back as it was.
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
 * A text in XML. `_x000D_` is how Excel writes a character that XML does not keep, so `_` before such a text is
 * escaped.
 */
export function escapeXml(text: string): string {
  if (!/[&<>\r_\ufffe\uffff]/u.test(text)) return text;
  return text
    .replaceAll(/_(?=x[\da-f]{4}_)/giu, '_x005F_')
    .replaceAll(/[&<>\r]/gu, (one) => XML_NAMES[one] ?? one)
    .replaceAll(/[\ufffe\uffff]/gu, '\ufffd');
}
