/** @slow */
import { describe, expect, it } from '@jest/globals';
import { appendFile } from 'node:fs/promises';
import fc from 'fast-check';
import { guardCell } from '../../inputs/formula-guard.ts';
import { openManifest } from '../../inputs/manifest-source.ts';
import type { Probe } from '../../inputs/media/probe-media.ts';
import { ManifestError } from '../../contract/manifest-problems.ts';
import { readManifest, summarizeManifest } from '../../inputs/read-manifest.ts';
import { OPTIONS, check, load, manifestFile } from './manifest-file.ts';
import { scaleRuns } from '../support/property-runs.ts';

const AUDIO = 'https://media.example/a.mp3';
const VIDEO = 'https://media.example/v.mp4';

it.each<[string, string, string, Parameters<typeof load>[1]?]>([
  ['are inferred from the columns of the file', 'text,voice\na,v\n', 'tts'],
  ['of a video with a text', `text,voice,video\na,v,${VIDEO}\n`, 'dub'],
  ['of a video with a sound', `audio,video\n${AUDIO},${VIDEO}\n`, 'lip-sync'],
  ['of a sound', `audio\n${AUDIO}\n`, 'stt'],
  [
    'are inferred from the cells where the columns could be several kinds',
    `text,voice,audio,video\na,v,,\na,v,,${VIDEO}\n,,${AUDIO},${VIDEO}\n,,${AUDIO},\n`,
    'tts,dub,lip-sync,stt',
  ],
  [
    'are not inferred where another kind has the same columns: only a name makes such a row',
    `kind,text,voice,video\nvideo-dubbing,a,v,${VIDEO}\n,a,v,${VIDEO}\n`,
    'video-dubbing,dub',
  ],
  ['come from --kind', `text,voice,video\na,v,${VIDEO}\n`, 'video-dubbing', { kind: 'video-dubbing' }],
  ['come from the column first', `kind,text,voice,audio\n,a,v,${AUDIO}\n tts ,a,v,\n`, 'stt,tts', { kind: 'stt' }],
])('kinds %s', async (_, content, kinds, options = {}) => {
  expect((await load(content, options)).rows.map(({ spec }) => spec.kind).join()).toBe(kinds);
});

describe('specs', () => {
  it('take defaults for empty cells and missing columns, where the kind reads them', async () => {
    const defaults = { voice: 'dv', engine: 'de', format: 'wav', language: 'fr' };
    const { rows } = await load(`kind,text,voice,audio\ntts,a,,\ntts,b,mine,\nstt,,,${AUDIO}\n`, { defaults });
    expect(rows.map((row) => row.spec)).toEqual([
      { kind: 'tts', text: 'a', ...defaults, extra: {} },
      { kind: 'tts', text: 'b', ...defaults, voice: 'mine', extra: {} },
      { kind: 'stt', audio: AUDIO, language: 'fr', extra: {} },
    ]);
  });

  it('keep a text as it is and trim the short columns', async () => {
    const { rows } = await load('text,voice,speed\n"  Hi \n", v1 , 1.25 \n');
    expect(rows[0]?.spec).toEqual({ kind: 'tts', text: '  Hi \n', voice: 'v1', speed: 1.25, extra: {} });
    expect(rows[0]?.input).toEqual(['  Hi \n', ' v1 ', ' 1.25 ']);
  });

  it('carry api.<field> cells as JSON values where they are some, else as texts, and never touch a prototype', async () => {
    const header = 'text,voice,api.n,api.s,api.o,api.e,api.__proto__\n';
    const { rows } = await load(`${header}x,v,1.5,yes,"{""a"":[1]}",,"{""polluted"":true}"\n`);
    const extra = rows[0]?.spec.extra ?? {};
    expect(extra).toMatchObject({ n: 1.5, s: 'yes', o: { a: [1] } });
    expect(Object.keys(extra)).toEqual(['n', 's', 'o', '__proto__']);
    expect('polluted' in {}).toBe(false);
  });

  it('read columns under the names that --map gives them', async () => {
    const { rows, summary } = await load('Script, Speaker \nHi,v\n', { map: { text: 'Script', voice: 'Speaker' } });
    expect(rows[0]?.spec).toMatchObject({ text: 'Hi', voice: 'v' });
    expect(summary.columns).toEqual(['Script', 'Speaker']);
  });
});

describe('ids', () => {
  it('are made from content and occurrence, whatever the order of rows or columns, in CSV and JSONL alike', async () => {
    const one = await load('text,voice,note\nA,v,\nB,v,n\nA,v,\n');
    const two = await load('voice,note,text\nv,,A\nv,,A\nv,n,B\n');
    const ids = one.rows.map((row) => row.id);
    expect(ids[0]).toMatch(/^[0-9a-f]{12}$/);
    expect(ids[2]).toBe(`${ids[0] ?? ''}-2`);
    expect(two.rows.map((row) => row.id).sort()).toEqual([...ids].sort());
    const [csv, jsonl] = [await load('text,voice\nA,v\n'), await load('{"voice":"v","text":"A"}')];
    expect(jsonl.rows[0]?.id).toBe(csv.rows[0]?.id);
  });

  it('are made only where none is given, and fill the template of names, folders included', async () => {
    const nameTemplate = '{lang}/{kind}-{row}-{id}.{ext}';
    const { rows } = await load('id,text,voice,lang\nmine,A,v,de\n,A,v,de\n', { nameTemplate });
    expect(rows[1]?.id).toMatch(/^[0-9a-f]{12}$/);
    expect(rows.map(({ name }) => name)).toEqual(['de/tts-1-mine.{ext}', `de/tts-2-${rows[1]?.id ?? ''}.{ext}`]);
  });
});

describe('the summary', () => {
  it('adds up prices and counts rows without one', async () => {
    const content = `kind,text,voice,audio,video,duration\ntts,abc,v,,,\nstt,,,${AUDIO},,4.2\nstt,,,${AUDIO},,\ndub,abc,v,,${VIDEO},3\n`;
    const { kinds, quoted, unpriced } = await check(content);
    expect(kinds.tts).toMatchObject({ rows: 1, quoted: 2, unpriced: 0, assumed: 0 });
    expect(kinds.stt).toMatchObject({ rows: 2, quoted: 5, unpriced: 1, assumed: 0 });
    expect(kinds.dub).toMatchObject({ rows: 1, quoted: 5, unpriced: 0, assumed: 0 });
    expect([quoted, unpriced]).toEqual([12, 1]);
  });

  it('prices rows of unknown length at a length that is assumed, in what is loaded too', async () => {
    const content = `id,audio,duration\na,${AUDIO},4.2\nb,${AUDIO},\n`;
    const { summary, rows } = await load(content, { assumeSeconds: 30.5 });
    expect(summary.kinds.stt).toMatchObject({ rows: 2, quoted: 36, unpriced: 0, assumed: 1 });
    expect(rows.map(({ quoted, spec, input }) => [quoted, spec.duration, input[2]])).toEqual([
      [5, 4.2, '4.2'],
      [31, 30.5, ''],
    ]);
  });

  it('prices them by their media first, and asks for none that states its length', async () => {
    const asked: string[] = [];
    const probe: Probe = (url) => {
      asked.push(url);
      return Promise.resolve(url.endsWith('lost') ? { why: 'answers 404', isSilent: false } : { seconds: 8.1 });
    };
    const content = `id,audio,duration\na,${AUDIO},4.2\nb,${AUDIO},\nc,https://media.example/lost,\n`;
    const { summary, rows } = await load(content, { probe });
    expect(summary.kinds.stt).toMatchObject({ rows: 3, quoted: 14, unpriced: 1, assumed: 0 });
    const lost = { count: 1, first: [{ line: 4, id: 'c', why: 'the audio answers 404' }] };
    expect(summary).toMatchObject({ unpricedRows: lost, notProbed: lost, cheapest: 5 });
    expect(rows.map(({ quoted, spec }) => [quoted, spec.duration])).toEqual([
      [5, 4.2],
      [9, 8.1],
      [null, undefined],
    ]);
    expect(new Set(asked)).toEqual(new Set([AUDIO, 'https://media.example/lost']));
    const assumed = await check(content, { probe, assumeSeconds: 60 });
    expect(assumed).toMatchObject({ quoted: 74, unpriced: 0, notProbed: lost });
  });

  it('warns once per column that is only carried along', async () => {
    const content = `kind,audio,text,txet\nstt,${AUDIO},a,b\nstt,${AUDIO},,b\nstt,${AUDIO},c,b\n`;
    const { warnings, problems } = await check(content);
    expect(problems).toEqual([]);
    expect(warnings).toEqual([
      { column: 'txet', message: expect.stringContaining('did you mean text?'), line: 1, rows: null },
      { column: 'text', message: expect.stringContaining('does not use it'), line: 2, rows: 2 },
    ]);
  });

  it('leaves out columns that begin with _ and takes the digest of the bytes', async () => {
    const one = await check('_note,text,voice\nx,a,v\n');
    expect(one).toMatchObject({ columns: ['text', 'voice'], previousBatch: null });
    expect(one.digest).toMatch(/^[0-9a-f]{64}$/);
    expect((await check('_note,text,voice\r\nx,a,v\r\n')).digest).not.toBe(one.digest);
  });
});

describe('outcome files', () => {
  const CELLS = ['=1+1', "'=x", '-5', '@you', '+49', "'tis", 'plain'];
  const GUARDED = CELLS.map((cell) => `"${guardCell(cell)}",v,n\n`).join('');

  it.each([
    ['lose the formula guard again', `text,voice,_batch\n${GUARDED}`, CELLS, 'n'],
    ['lose it also where a person has left only _outcome', "text,voice,_outcome\n'- Hello,v,n\n", ['- Hello'], null],
    ['are known by one of them: any other file is read as it stands', "text,voice,_note\n'=1,v,n\n", ["'=1"], null],
    ['as JSONL carry no guard', '{"text":"\'=1","voice":"v","_batch":"b","_outcome":"failed"}', ["'=1"], 'b'],
  ])('%s', async (_, content, texts, batch) => {
    const { summary, rows } = await load(content);
    expect(rows.map(({ spec, input }) => [spec.text, input[0]])).toEqual(texts.map((text) => [text, text]));
    expect(summary.previousBatch).toBe(batch);
  });
});

describe('JSONL', () => {
  it('takes keys as columns as they come, and fills up rows that lack some', async () => {
    const content = `{"text":"a","voice":"v"}\r\n\n{"audio":"${AUDIO}","duration":3,"api.x":{"a":null},"api.y":"5"}\n`;
    const { rows, summary } = await load(content, {}, 'lines.jsonl');
    expect(summary.columns).toEqual(['text', 'voice', 'audio', 'duration', 'api.x', 'api.y']);
    expect(rows.map((row) => row.input)).toEqual([
      ['a', 'v', '', '', '', ''],
      ['', '', AUDIO, '3', '{"a":null}', '"5"'],
    ]);
    expect(rows[1]?.spec).toMatchObject({ kind: 'stt', duration: 3, extra: { x: { a: null }, y: '5' } });
    expect(rows.map((row) => row.line)).toEqual([1, 3]);
  });

  it('keeps all digits of an integer that no double holds, wherever it stands, and reads other numbers as before', async () => {
    const line = (id: string): string =>
      `{"id":${id},"text":"12345678901234567 \\" 1e5","voice":"v","note": ${id},"api.seed":${id},"api.o":{"a":[${id}]},"api.n":1.50}`;
    const ids = ['1234567890123456781', '1234567890123456782', '9007199254740992', '9007199254740993', '12', '-7.0'];
    const { rows } = await load(ids.map(line).join('\n'), {}, 'lines.jsonl');
    const kept = [...ids.slice(0, 5), '-7'];
    expect(rows.map(({ id, input }) => [id, input[3]])).toEqual(kept.map((id) => [id, id]));
    expect(rows[0]?.spec).toEqual({
      ...{ kind: 'tts', text: '12345678901234567 " 1e5', voice: 'v' },
      extra: { seed: '1234567890123456781', o: { a: ['1234567890123456781'] }, n: 1.5 },
    });
    expect(rows.slice(2).map(({ spec }) => spec.extra['seed'])).toEqual([9007199254740992, '9007199254740993', 12, -7]);
  });
});

describe('readManifest', () => {
  it('refuses a file that changed after it was checked, where its rows are read again', async () => {
    const path = await manifestFile('text,voice\na,v\n');
    const source = await openManifest(path);
    const summary = await summarizeManifest(source, OPTIONS);
    source.rows.drop();
    await appendFile(path, 'b,v\n');
    const read = async (): Promise<void> => {
      for await (const row of readManifest(source, OPTIONS, summary)) expect(row.row).toBeGreaterThan(0);
    };
    await expect(read()).rejects.toMatchObject({ name: 'ManifestError', problems: [{ code: 'changed' }] });
  });

  it('throws at the first problem', async () => {
    const source = await openManifest(await manifestFile('text,voice\na,\n'));
    const rows = readManifest(source, OPTIONS, { columns: ['text', 'voice'], digest: '' });
    await expect(rows.next()).rejects.toThrow(ManifestError);
  });
});

describe('any cells', () => {
  const cell = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.string({ unit: fc.constantFrom('"', ',', ';', '\t', '\n', '\r', "'", '=', 'a', ' ', '字', '🙂', '\uFEFF') }),
  );
  const writable = cell.filter((text) => !text.includes('\0') && !/\p{Cs}/u.test(text));
  const style = fc.record({
    delimiter: fc.constantFrom(',', ';', '\t'),
    newline: fc.constantFrom('\n', '\r\n', '\r'),
    bom: fc.boolean(),
    last: fc.boolean(),
    quoteAll: fc.boolean(),
  });
  const table = fc.array(fc.tuple(writable, writable), { minLength: 1, maxLength: 8 });

  it('are read back as they were written, with their lines', async () => {
    await fc.assert(
      fc.asyncProperty(table, style, async (rows, how) => {
        const quote = (text: string): string =>
          how.quoteAll || /[",;\t\r\n]/.test(text) || text === '' ? `"${text.replaceAll('"', '""')}"` : text;
        const lines = [['text', 'voice', 'note', 'other'], ...rows.map(([note, other]) => ['t', 'v', note, other])];
        const body = lines.map((cells) => cells.map(quote).join(how.delimiter)).join(how.newline);
        const read = await load(`${how.bom ? '\uFEFF' : ''}${body}${how.last ? how.newline : ''}`);
        expect(read.rows.map((row) => row.input)).toEqual(lines.slice(1));
        let line = 2;
        for (const [index, cells] of lines.slice(1).entries()) {
          expect(read.rows[index]?.line).toBe(line);
          line += 1 + cells.reduce((sum, text) => sum + (text.match(/\r\n|\r|\n/g)?.length ?? 0), 0);
        }
      }),
      { numRuns: scaleRuns(150) },
    );
  });

  it('are read the same however the file is cut into chunks', async () => {
    const row = '"字\r\nx ""q"" 🙂",v\r\n';
    const count = Math.ceil((700 * 1024) / Buffer.byteLength(row));
    const { rows } = await load(`text,voice\r\n${row.repeat(count)}`);
    expect(rows).toHaveLength(count);
    expect(rows.every((read) => read.spec.text === '字\r\nx "q" 🙂')).toBe(true);
    expect(rows.at(-1)?.line).toBe(2 + (count - 1) * 2);
  });
});
