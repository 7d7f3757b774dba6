import { describe, expect, it } from '@jest/globals';
import { readCast } from '../../../inputs/cast/read-cast.ts';
import { check, load, manifestFile } from '../manifest-file.ts';
import { cell, workbookFile } from '../workbook/make-workbook.ts';

const CAST = 'Name;Stimme;engine;api.emotion\nLin;name:Lin;;happy\nÖmer;v-omer;v3-hd;\n';
const MANIFEST = 'id;text;Sprecher\na;Hello;Lin\nb;Bye; ömer \n';
const MAP = { map: { speaker: 'Sprecher' }, anyCase: true } as const;

const castOf = async (content = CAST) => readCast(await manifestFile(content, 'cast.csv'));
const refusal = async (content: string): Promise<string> =>
  castOf(content).then(
    () => '',
    (error: unknown) => (error as Error).message,
  );

describe('a cast', () => {
  it('gives each name its voice, engine and API fields', async () => {
    const { rows } = await load(MANIFEST, { ...MAP, cast: await castOf(), defaults: { engine: 'v2' } });
    expect(rows.map(({ spec }) => spec)).toEqual([
      { kind: 'tts', text: 'Hello', voice: 'name:Lin', engine: 'v2', extra: { emotion: 'happy' } },
      { kind: 'tts', text: 'Bye', voice: 'v-omer', engine: 'v3-hd', extra: {} },
    ]);
  });

  it('gives way to the cells of a row, and fills no row that names nobody', async () => {
    const content = 'text,voice,engine,speaker,api.emotion\na,own,,Lin,\nb,,mine,Lin,sad\nc,,,,\n';
    const { rows } = await load(content, { cast: await castOf(), defaults: { voice: 'usual' } });
    expect(rows.map(({ spec: { voice, engine, extra } }) => [voice, engine, extra])).toEqual([
      ['own', undefined, {}],
      ['name:Lin', 'mine', { emotion: 'sad' }],
      ['usual', undefined, {}],
    ]);
  });

  it('is the same whatever the order of its rows', async () => {
    const { members } = await castOf();
    const [header = '', lin = '', omer = ''] = CAST.split('\n');
    expect((await castOf([header, omer, lin].join('\n'))).members).toEqual(members);
  });

  it('tells of a name that it does not have once, with its rows, the first lines and the nearest name, whatever the default voice', async () => {
    const content = `text,speaker\n${'x,Lim\n'.repeat(5)}y,Narrator\nz,Lin\nx,Lim\n`;
    const { problems, problemCount } = await check(content, { cast: await castOf(), defaults: { voice: 'usual' } });
    const unknown = { column: 'speaker', code: 'unknown-speaker' };
    expect(problems).toMatchObject([
      { line: 2, ...unknown, got: 'Lim (in 6 rows: lines 2, 3, 4, …)' },
      { line: 7, ...unknown, got: 'Narrator' },
    ]);
    expect(problemCount).toBe(2);
    expect(problems.map(({ expected }) => / the nearest is (.*)$/.exec(expected)?.[1])).toEqual(['Lin', undefined]);
  });

  it('may be the first sheet of a workbook', async () => {
    const cells = ['Name', 'Stimme', 'api.emotion'].map((name, at) => cell(`${'ABC'[at] ?? ''}1`, name)).join('');
    const rows = `<row r="1">${cells}</row><row r="3">${cell('A3', 'Lin')}${cell('B3', 'name:Lin')}${cell('C3', 'happy')}</row>`;
    const path = await workbookFile({ rows });
    expect(await readCast(path)).toEqual({
      from: path,
      members: [{ name: 'Lin', values: { voice: 'name:Lin', 'api.emotion': 'happy' } }],
    });
    const broken = await manifestFile('PK\u0003\u0004 is no archive', 'cast.xlsx');
    await expect(readCast(broken)).rejects.toThrow(`cannot read the cast ${broken}: it is damaged`);
    const old = await manifestFile('name,voice', 'cast.xls');
    await expect(readCast(old)).rejects.toThrow(`cannot read the cast ${old}: it is named like an Excel workbook`);
  });

  it('is refused if it is not UTF-8, as Excel saves "CSV", or not there', async () => {
    const latin = await manifestFile(Buffer.from('name;voice\nKönigin;v-königin\n', 'latin1'), 'Besetzung.csv');
    await expect(readCast(latin)).rejects.toThrow(
      `the cast ${latin} cannot be used. Nothing was spent.\n  line 2: expected UTF-8 (save the file as "CSV UTF-8")`,
    );
    await expect(readCast('gone.csv')).rejects.toThrow('cannot read the cast gone.csv: there is no such file. Nothing');
  });

  it('needs the column of the names, unless nothing is spoken', async () => {
    const { problems } = await check('text,voice,Sprecher\na,v,Lin\nb,v,Lin\n', { cast: await castOf() });
    expect(problems).toMatchObject([{ line: 1, column: 'speaker', code: 'missing-column' }]);
    expect(problems[0]?.expected).toContain('--map speaker=Sprecher');
    expect((await check('audio\nhttps://a.example/a.mp3\n', { cast: await castOf() })).problems).toEqual([]);
  });

  it.each([
    ['10,000 names', `name,voice\n${Array.from({ length: 10_001 }, (_, at) => `n${String(at)},v\n`).join('')}`],
    ['1 MB', `name,voice,api.note\n${`x,v,${'y'.repeat(1_000)}\n`.repeat(1_100)}`],
    ['1000 columns', `name,voice,${'_a,'.repeat(1_000)}\nx,v\n`],
  ])('is refused at once beyond %s: it would be read with each look at its batch', async (most, content) => {
    expect(await refusal(content)).toContain(`expected at most ${most} in a cast, one row for each speaker; the rest`);
  });

  it('is compared with the first unknown names only', async () => {
    const members = Array.from({ length: 10_000 }, (_, at) => ({ name: `Name ${String(at)}`, values: { voice: 'v' } }));
    const lines = Array.from({ length: 300 }, (_, at) => `x,Nome ${String(at)}\n`).join('');
    const { problems } = await check(`text,speaker\n${lines.repeat(2)}`, { cast: { from: 'cast.csv', members } });
    const hinted = problems.filter(({ expected }) => expected.includes('the nearest is'));
    expect([hinted.length, hinted[0]?.got]).toEqual([20, '"Nome 0" (in 2 rows: lines 2, 302)']);
  });

  it('has the cells that a manifest may have', async () => {
    const ofLine = (cells: object): Promise<string> => refusal(JSON.stringify({ name: 'Lin', voice: 'v', ...cells }));
    expect(await ofLine({ 'api.x': '\ud800' })).toContain('line 1, column api.x: expected Unicode text without NUL');
    expect(await ofLine({ voice: 'v\0' })).toContain('line 1, column voice: expected Unicode text without NUL');
    const deep = `${'['.repeat(200_000)}${']'.repeat(200_000)}`;
    expect(await refusal(`name,voice,api.x\nLin,v,"${deep}"\n`)).toContain(
      'column api.x: expected objects and lists nested',
    );
  });

  it('says all that is wrong with it at once', async () => {
    const words = await refusal('name,voice,style,api.text\nLin,,x,\n,v,,\nLin,name:,,\n');
    expect(words).toContain('Nothing was spent.');
    for (const part of [
      'line 1, column style: expected name, voice, engine, language, api.FIELD',
      'api.emotion',
      'line 1, column api.text: expected no field that voxbatch fills itself',
      'line 2, column voice: expected the voice of Lin: an id, or name: and its name; got nothing',
      'line 3, column name: expected a name; got an empty cell',
      'line 4, column voice: expected name: and a name',
      'line 4, column name: expected each name once; line 2 has the same',
    ])
      expect(words).toContain(part);
    expect(await refusal('name,voice\n')).toContain('no row');
  });
});
