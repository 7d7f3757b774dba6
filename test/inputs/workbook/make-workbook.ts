import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ZipWriter } from '../../../results/workbook/zip-writer.ts';
import { freshFolder } from '../../support/fresh-folder.ts';

/** A ZIP archive of these files. */
export async function zipOf(parts: Readonly<Record<string, string>>): Promise<Buffer> {
  const bytes: Uint8Array[] = [];
  const zip = new ZipWriter((more) => {
    bytes.push(more);
    return Promise.resolve();
  });
  for (const [name, content] of Object.entries(parts)) await zip.add(name, [content]);
  await zip.end();
  return Buffer.concat(bytes);
}

const relations = (...targets: readonly (readonly [type: string, target: string])[]): string =>
  `<Relationships>${targets
    .map(([type, target], at) => `<Relationship Id="rId${at + 1}" Type="http://x/${type}" Target="${target}"/>`)
    .join('')}</Relationships>`;

/** What a workbook of a test has; the rest is as Excel writes it. */
interface Written {
  /** The inside of the first sheet's `sheetData`. */
  readonly rows: string;
  /** What follows it. */
  readonly after?: string;
  readonly texts?: string;
  readonly styles?: string;
  /** The sheets of the workbook; the rows are those of all of them. */
  readonly sheets?: string;
  readonly properties?: string;
}

/** Files of a workbook by their names. */
interface PartsOfWorkbook extends Readonly<Record<string, string>> {
  readonly '_rels/.rels': string;
}

/** The parts of a workbook. */
export function partsOf({
  rows,
  after = '',
  texts = '',
  styles = '',
  sheets,
  properties = '',
}: Written): PartsOfWorkbook {
  const one = '<sheet name="One" sheetId="1" r:id="rId1"/>';
  return {
    '_rels/.rels': relations(['officeDocument', 'xl/workbook.xml']),
    'xl/workbook.xml': `<?xml version="1.0"?><x:workbook xmlns:x="y">${properties}<sheets>${sheets ?? one}</sheets></x:workbook>`,
    'xl/_rels/workbook.xml.rels': relations(
      ['worksheet', 'worksheets/sheet1.xml'],
      ['worksheet', '/xl/worksheets/sheet2.xml'],
      ['sharedStrings', 'sharedStrings.xml'],
      ['styles', 'styles.xml'],
    ),
    'xl/sharedStrings.xml': `<sst>${texts}</sst>`,
    'xl/styles.xml': `<styleSheet>${styles}</styleSheet>`,
    'xl/worksheets/sheet1.xml': `<worksheet><sheetData>${rows}</sheetData>${after}</worksheet>`,
    'xl/worksheets/sheet2.xml':
      '<worksheet><sheetData><row r="1"><c r="A1" t="str"><v>text</v></c></row></sheetData></worksheet>',
  };
}

/** A text in a cell. */
export const cell = (at: string, text: string): string => `<c r="${at}" t="inlineStr"><is><t>${text}</t></is></c>`;

/** The header `id`, `text`, `voice`, and rows of a sheet below it. */
export const belowHeader = (rows: string): string =>
  `<row r="1">${cell('A1', 'id')}${cell('B1', 'text')}${cell('C1', 'voice')}${cell('D1', 'speed')}</row>${rows}`;

/** Writes it to a file, and returns its path. */
export async function workbookFile(written: Written, name = 'lines.xlsx'): Promise<string> {
  return fileOf(await zipOf(partsOf(written)), name);
}

export async function fileOf(content: Buffer, name = 'lines.xlsx'): Promise<string> {
  const path = join(freshFolder(), name);
  await writeFile(path, content);
  return path;
}
