import { describe, expect, it } from '@jest/globals';
import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { describeProblem } from '../../../contract/manifest-problems.ts';
import { openManifest } from '../../../inputs/manifest-source.ts';
import { summarizeManifest, type ManifestSummary } from '../../../inputs/read-manifest.ts';
import { loadFile, OPTIONS } from '../manifest-file.ts';
import { belowHeader, cell, fileOf, partsOf, workbookFile, zipOf } from './make-workbook.ts';

type Written = Parameters<typeof partsOf>[0];

async function summaryOf(path: string, sheet?: string): Promise<ManifestSummary> {
  const source = await openManifest(path, { sheet });
  try {
    return await summarizeManifest(source, OPTIONS);
  } finally {
    await source.close();
  }
}

const problemsOf = async (written: Written): Promise<readonly string[]> =>
  (await summaryOf(await workbookFile(written))).problems.map(describeProblem);

/** The cells of a sheet with this row below its header. */
async function cellsOf(row: string, others: Partial<Written> = {}): Promise<readonly string[] | undefined> {
  const rows = belowHeader(`<row r="2">${cell('A2', 'a')}${cell('B2', 'One.')}${cell('C2', 'v')}${row}</row>`);
  return (await loadFile(await workbookFile({ rows, ...others }))).rows[0]?.input;
}

const styles = (...codes: readonly string[]): string =>
  `<numFmts>${codes.map((code, at) => `<numFmt numFmtId="${200 + at}" formatCode="${code}"/>`).join('')}</numFmts>` +
  `<cellStyleXfs><xf numFmtId="14"/></cellStyleXfs><cellXfs>${codes.map((_, at) => `<xf numFmtId="${200 + at}"/>`).join('')}<xf numFmtId="14"/></cellXfs>`;

describe('a workbook as a manifest', () => {
  it('has the rows of its first sheet, with the numbers that Excel shows, and skips empty ones', async () => {
    const rows = belowHeader(
      `<row r="3"><c r="A3"/><c r="B3" s="1"/></row><row r="5">${cell('A5', 'a')}<c r="B5" t="s"><v>0</v></c><c r="C5" t="s"><v>1</v></c></row>`,
    );
    const texts =
      '<si><t>One &amp; two_x000D_</t></si><si><r><t>an</t></r><r><t>na</t></r><rPh sb="0" eb="1"><t>hint</t></rPh></si>';
    const { rows: read } = await loadFile(await workbookFile({ rows, texts }));
    expect(read.map(({ line, input }) => [line, ...input])).toEqual([[5, 'a', 'One & two\r', 'anna', '']]);
  });

  it.each([
    ['a number without the noise of its calculation', '<c r="D2"><v>1.2000000000000002</v></c>', '1.2'],
    ['a whole number', '<c r="D2"><v>1</v></c>', '1'],
    ['what a formula came to', '<c r="D2"><f>1/2+1</f><v>1.5</v></c>', '1.5'],
    ['a text that a formula came to', '<c r="D2" t="str"><f>"1"</f><v>1</v></c>', '1'],
    ['an empty text that a formula came to', '<c r="D2" t="str"><f>""</f><v></v></c>', ''],
  ])('has %s', async (_, row, expected) => {
    expect((await cellsOf(row))?.[3]).toBe(expected);
  });

  it.each([
    ['yyyy\\-mm\\-dd;@', 46_000, '2025-12-09'],
    ['[$-407]d\\. mmmm yyyy', 59, '1900-02-28'],
    ['dd/mm/yyyy hh:mm', 46_000.5, '2025-12-09T12:00:00'],
    ['h:mm AM/PM', 0.75, '18:00:00'],
    ['[h]:mm:ss', 1.5, '36:00:00'],
    ['00000', 123, '00123'],
    ['#,##0.00 &quot;days&quot;', 4.25, '4.25'],
    ['0.00E+00', 12, '12'],
    ['General', 0.1, '0.1'],
  ])('has a cell with the format %s as its reader sees it', async (code, value, expected) => {
    const rows = `<row r="1">${cell('A1', 'text')}${cell('B1', 'voice')}${cell('C1', 'note')}</row><row r="2">${cell('A2', 'x')}${cell('B2', 'v')}<c r="C2" s="0"><v>${value}</v></c></row>`;
    const read = async (properties = ''): Promise<string | undefined> =>
      (await loadFile(await workbookFile({ rows, styles: styles(code), properties }))).rows[0]?.input[2];
    expect(await read()).toBe(expected);
    if (value === 46_000) expect(await read('<workbookPr date1904="1"/>')).toBe('2029-12-10');
  });

  it('has true and false, and dates that are written as such', async () => {
    const row = '<c r="D2" t="b"><v>1</v></c>';
    const written = { rows: belowHeader(`<row r="2">${cell('B2', 'x')}${cell('C2', 'v')}${row}</row>`) };
    expect(await problemsOf(written)).toEqual([expect.stringMatching(/^line 2, column speed: .* got true$/)]);
  });

  it('has a problem for each cell without a value, with its row and column', async () => {
    const formula = (at: string, value = ''): string => `<c r="${at}"><f>A1</f>${value}</c>`;
    const rows = belowHeader(
      `<row r="2">${cell('A2', 'a')}<c r="B2" t="e"><v>#REF!</v></c>${formula('C2')}</row><row r="3">${cell('A3', 'b')}${cell('B3', 'x')}${formula('C3', '<v/>')}</row>`,
    );
    const why = 'is not in the file in cell';
    expect(await problemsOf({ rows })).toEqual([
      expect.stringMatching(/^line 2, column text: expected a value .*; got #REF! in cell B2$/),
      expect.stringMatching(new RegExp(`^line 2, column voice: .*; got a formula whose result ${why} C2$`)),
      expect.stringMatching(new RegExp(`^line 3, column voice: .* ${why} C3$`)),
    ]);
  });

  it('has a problem for merged cells, unless nothing reads them', async () => {
    const rows = belowHeader(
      `<row r="2">${cell('B2', 'x')}${cell('C2', 'v')}</row><row r="3">${cell('B3', 'y')}</row>`,
    );
    const after = (range: string): string => `<mergeCells count="1"><mergeCell ref="${range}"/></mergeCells>`;
    expect(await problemsOf({ rows, after: after('C2:C3') })).toContainEqual(
      expect.stringMatching(/^line 2, column voice: expected cells that are not merged.*; got merged cells C2:C3$/),
    );
    const sound = { rows: belowHeader(`<row r="2">${cell('B2', 'x')}${cell('C2', 'v')}</row>`) };
    for (const range of ['F1:G9', 'A5:C6']) expect(await problemsOf({ ...sound, after: after(range) })).toEqual([]);
  });

  it('is read from the sheet that is named, else from the first that is not hidden', async () => {
    const sheets =
      '<sheet name="Secret" sheetId="9" state="hidden" r:id="rId2"/><sheet name="Lines &amp; more" sheetId="1" r:id="rId1"/>';
    const rows = belowHeader(`<row r="2">${cell('B2', 'x')}${cell('C2', 'v')}</row>`);
    const path = await workbookFile({ rows, sheets });
    expect((await summaryOf(path)).columns).toEqual(['id', 'text', 'voice', 'speed']);
    expect((await summaryOf(path, 'secret')).columns).toEqual(['text']);
    await expect(summaryOf(path, 'Third')).rejects.toThrow(
      'it has no sheet "Third", but "Secret", "Lines & more". Nothing was spent.',
    );
  });

  it('is the same manifest once it was opened and saved again, and leaves no copy behind', async () => {
    const rows = belowHeader(`<row r="2">${cell('B2', 'x')}${cell('C2', 'v')}</row>`);
    const first = await summaryOf(await workbookFile({ rows }));
    const again = await summaryOf(await workbookFile({ rows, properties: '<workbookPr/>', after: '<pageMargins/>' }));
    expect(again.digest).toBe(first.digest);
    const other = await summaryOf(await workbookFile({ rows: rows.replace('>x<', '>y<') }));
    expect(other.digest).not.toBe(first.digest);
    const source = await openManifest(await workbookFile({ rows }));
    expect(existsSync(source.path)).toBe(true);
    await source.close();
    expect(existsSync(dirname(source.path))).toBe(false);
  });
});

describe('a file that is no workbook, or was made to do harm, is refused', () => {
  const rows = belowHeader(`<row r="2">${cell('B2', 'x')}${cell('C2', 'v')}</row>`);
  const parts = partsOf({ rows });
  const sheet = (content: string): Promise<Buffer> => zipOf({ ...parts, 'xl/worksheets/sheet1.xml': content });
  const bomb = `<worksheet>${`<!--${' '.repeat(1_000_000)}-->`.repeat(140)}`;
  it.each<[string, string, () => Buffer | Promise<Buffer>]>([
    [
      'an old one, or one with a password',
      'an old Excel file (.xls), or has a password',
      () => Buffer.from('d0cf11e0a1b11ae100', 'hex'),
    ],
    [
      'another archive',
      'it is no Excel workbook',
      () => zipOf({ mimetype: 'application/vnd.oasis.opendocument.spreadsheet' }),
    ],
    ['another document', 'it is no Excel workbook', () => zipOf({ ...parts, 'xl/workbook.xml': '<document/>' })],
    ['a text of that name', 'named like an Excel workbook, but is none', () => Buffer.from('text,voice\nx,v\n')],
    [
      'a binary one',
      'binary workbook (.xlsb)',
      () => zipOf({ '_rels/.rels': parts['_rels/.rels'].replace('.xml', '.bin') }),
    ],
    ['a bomb', 'it holds far more than its size allows for', () => sheet(bomb)],
    [
      'one with entities',
      'it has a document type',
      () => sheet('<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]><worksheet/>'),
    ],
    ['a sheet that ends early', 'it is cut off', () => sheet(`<worksheet><sheetData>${rows}`)],
    ['a file that ends early', 'its end is missing', async () => (await zipOf(parts)).subarray(0, -30)],
    [
      'changed content',
      'the content of xl/worksheets/sheet1.xml',
      async () => {
        const zip = await zipOf(parts);
        const at = zip.lastIndexOf('PK\u0001\u0002', zip.indexOf('xl/worksheets/sheet1.xml', zip.length - 500));
        zip.writeUInt32LE(1, at + 16);
        return zip;
      },
    ],
    [
      'rows that are out of order',
      'the numbers of its rows',
      () => sheet('<worksheet><row r="2"/><row r="2"/></worksheet>'),
    ],
    [
      'cells beyond the last column',
      'the places of its cells',
      () => sheet('<worksheet><row r="1"><c r="XFE1"/></row></worksheet>'),
    ],
    [
      'a text that is missing',
      'a text that is missing',
      () => sheet('<worksheet><row r="1"><c r="A1" t="s"><v>7</v></c></row></worksheet>'),
    ],
    ['a sheet without cells', 'the sheet is no table', () => sheet('<chartsheet/>')],
  ])('%s', async (_, why, content) => {
    const path = await fileOf(await content());
    await expect(openManifest(path)).rejects.toThrow(why);
    await expect(openManifest(path)).rejects.toThrow('Nothing was spent.');
  });

  it('and a sheet of a text file', async () => {
    const path = await fileOf(Buffer.from('text,voice\nx,v\n'), 'lines.csv');
    await expect(openManifest(path, { sheet: 'One' })).rejects.toThrow('--sheet needs an Excel workbook (.xlsx)');
  });
});
