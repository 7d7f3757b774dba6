import { describe, expect, it } from '@jest/globals';
import { open, readFile, writeFile } from 'node:fs/promises';
import { findEditedRows } from '../../../batches/redrive/edited-rows.ts';
import { openManifest } from '../../../inputs/manifest-source.ts';
import { summarizeManifest } from '../../../inputs/read-manifest.ts';
import { ZipArchive } from '../../../inputs/workbook/zip-archive.ts';
import { writeOutFolder } from '../../../results/write-out-folder.ts';
import { verifyOut } from '../../../results/verification/verify.ts';
import { writeWorkbook } from '../../../results/workbook/write-workbook.ts';
import { loadFile, OPTIONS } from '../../inputs/manifest-file.ts';
import { OutFiles } from '../out-files.ts';
import { addBatch, addSampleBatch, finish, keyOf } from '../sample-batch.ts';
import { freshPlace } from '../../support/place.ts';

const place = freshPlace();
const out = new OutFiles(place);

/** The XML of a sheet. */
async function sheetXml(number: number): Promise<string> {
  const file = await open(out.pathOf('results.xlsx'));
  try {
    const archive = await ZipArchive.open(file);
    let xml = '';
    for await (const chunk of archive.read(`xl/worksheets/sheet${number}.xml`)) xml += chunk.toString();
    return xml;
  } finally {
    await file.close();
  }
}

/** The rows of a sheet as a manifest has them, with all their columns. */
async function rowsOf(sheet: string): Promise<readonly (readonly string[])[]> {
  const source = await openManifest(out.pathOf('results.xlsx'), { sheet });
  try {
    const lines = (await readFile(source.path, 'utf8')).trimEnd().split('\n');
    return lines.map((line) => (JSON.parse(line) as [number, string[]])[1]);
  } finally {
    await source.close();
  }
}

describe('results.xlsx', () => {
  it('has the results, what failed and why, and the bill; it is listed, and the same however often it is made', async () => {
    await addSampleBatch(place);
    await writeOutFolder(place.request({ xlsx: true }));
    const first = await readFile(out.pathOf('results.xlsx'));
    const lines = await out.lines();
    const [header = [], ...results] = await rowsOf('Results');
    expect(header.join()).toBe((await out.read('results.csv')).split('\n')[0]);
    expect(results.map((cells) => cells[header.indexOf('_outcome')])).toEqual(lines.map((line) => line['_outcome']));
    const [why = [], ...failed] = await rowsOf('Failed');
    expect(why.slice(0, 3)).toEqual(['_outcome', '_error_class', '_message']);
    expect(failed.map(([outcome]) => outcome)).toEqual(['failed', 'unknown', 'overdue', 'cancelled']);
    const bill = await rowsOf('Bill');
    expect(bill).toContainEqual(['charged', '', '7', '24.8']);
    expect(bill).toContainEqual(['failed', 'tts', '1', expect.any(String)]);
    expect((await verifyOut(place.out)).mismatches).toEqual([]);
    // It stays once it is there, and nothing else changes.
    await writeOutFolder(place.request());
    expect(await readFile(out.pathOf('results.xlsx'))).toEqual(first);
    await writeOutFolder(place.request({ xlsx: false }));
    expect(await out.names()).not.toContain('results.xlsx');
    expect((await verifyOut(place.out)).mismatches).toEqual([]);
  });

  it('has texts as texts, numbers as numbers, and links to the files', async () => {
    const input = ['a', '=1+1', '"two\r\nlines" _x0041_', '\u0007 <b>&', "'=x"];
    await addBatch(place, ['id', 'sum', 'text', 'odd', 'quoted'], [{ id: 'a', kind: 'tts', input }]);
    await finish(place, keyOf(1), { ...(await place.store.put('demo/1.wav', 'sound')), seconds: 4.2 }, 0.1);
    await writeOutFolder(place.request({ xlsx: true }));
    const xml = await sheetXml(1);
    expect(xml).toContain('<c r="B2" s="3" t="inlineStr"><is><t>=1+1</t></is></c>');
    expect(xml).toContain('<f>HYPERLINK("media/a.wav")</f><v>media/a.wav</v>');
    expect(xml).toMatch(/<c r="\w+2"><v>0\.1<\/v><\/c>/);
    expect(xml).toMatch(/<c r="\w+2"><v>4\.2<\/v><\/c>/);
    expect(xml.match(/<f>/gu)).toHaveLength(1);
    // As a manifest, it is an outcome file, whose texts are those of the batch.
    const source = await openManifest(out.pathOf('results.xlsx'));
    const { previousBatch } = await summarizeManifest(source, OPTIONS);
    await source.close();
    expect(previousBatch).toBe('demo');
    const { rows } = await loadFile(out.pathOf('results.xlsx'), { defaults: { voice: 'v' } });
    expect(rows[0]).toMatchObject({ input, previousRow: 1 });
  });

  it('has the numbers of the manifest as numbers, also those with a comma, and is read back as it was', async () => {
    const columns = ['id', 'text', 'voice', 'Länge', 'Tempo', 'note'];
    const input = ['1', 'Hello', 'v', '6,50', '1,2', '6,5'];
    const table = { delimiter: ';', bom: true } as const;
    const map = { max_seconds: 'Länge', speed: 'Tempo' };
    const reading = { kind: null, defaults: {}, map, anyCase: true, tts: 'job' } as const;
    const spec = { text: 'Hello', voice: 'v', max_seconds: 6.5, speed: 1.2 };
    const rows = [{ id: '1', kind: 'tts', spec, input }] as const;
    await addBatch(place, columns, rows, '{id}.{ext}', null, { table, reading });
    await finish(place, keyOf(1), await place.store.put('demo/1.wav', 'sound'), 0.1);
    await writeOutFolder(place.request({ xlsx: true }));
    const xml = await sheetXml(1);
    expect(xml).toContain('<c r="D2"><v>6.5</v></c><c r="E2"><v>1.2</v></c>');
    for (const text of ['<c r="A2" t="inlineStr"><is><t>1</t>', '<c r="F2" t="inlineStr"><is><t>6,5</t>'])
      expect(xml).toContain(text);
    const batch = await place.batch();
    for (const name of ['results.xlsx', 'results.jsonl']) {
      const source = await openManifest(out.pathOf(name));
      const found = await findEditedRows(source, { ledger: place.ledger, batch });
      if (found.type !== 'found') throw new Error(found.type);
      for await (const { edit } of found.rows) expect([name, edit]).toEqual([name, null]);
      await source.close();
    }
  });

  it('cuts a text that no cell holds, and such a cell is refused as a manifest', async () => {
    await addBatch(place, ['id', 'text', 'voice'], [{ id: 'a', kind: 'tts', input: ['a', '𝄞'.repeat(20_000), 'v'] }]);
    await writeOutFolder(place.request({ xlsx: true, complete: false }));
    const [, [, text = ''] = []] = await rowsOf('Results').catch(() => []);
    expect(text.length).toBeLessThanOrEqual(32_767);
    const source = await openManifest(out.pathOf('results.xlsx'));
    const { problems } = await summarizeManifest(source, OPTIONS);
    await source.close();
    expect(problems).toMatchObject([{ line: 2, column: 'text', code: 'bad-cell' }]);
  });

  it('is not written where Excel has no room for its rows, and says so', async () => {
    const summary = { rows: 1_048_576 } as Parameters<typeof writeWorkbook>[1]['summary'];
    const write = (): Promise<void> => Promise.reject(new Error('nothing is written'));
    expect(
      await writeWorkbook(write, { results: 'none', columns: [], numbers: new Set(), decimal: '.', summary }),
    ).toBe('too-many-rows');
  });

  it('takes the place of no file that a person has edited, or saved under its name', async () => {
    await addBatch(place, ['id'], [{ id: 'a', kind: 'tts', input: ['a'] }]);
    await writeOutFolder(place.request({ complete: false }));
    await writeFile(out.pathOf('results.xlsx'), 'of a person');
    expect((await verifyOut(place.out)).mismatches).toEqual([]);
    await writeOutFolder(place.request({ complete: false }));
    expect(await out.read('results.xlsx')).toBe('of a person');
    const { kept } = await writeOutFolder(place.request({ complete: false, xlsx: true }));
    expect(kept.tables).toEqual([{ name: 'results.xlsx', keptAs: 'results.edited.xlsx' }]);
    expect(await out.read('results.edited.xlsx')).toBe('of a person');
  });
});
