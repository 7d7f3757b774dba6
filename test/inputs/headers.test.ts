import { describe, expect, it } from '@jest/globals';
import { check, load, problemsIn } from './manifest-file.ts';

const ANY = { anyCase: true } as const;

describe('headers in any case', () => {
  it('stand for ours, and keep their own names in the results', async () => {
    const { rows, summary } = await load('ID;Text;VOICE;Max notes\na;Hello;v1;x\n', ANY);
    expect(rows[0]).toMatchObject({ id: 'a', spec: { kind: 'tts', text: 'Hello', voice: 'v1' } });
    expect(summary.columns).toEqual(['ID', 'Text', 'VOICE', 'Max notes']);
    expect(summary.warnings.map(({ column }) => column)).toEqual(['Max notes']);
  });

  it('mean nothing beside one that is exactly ours, nor in batches of earlier versions', async () => {
    const { rows } = await load('text,voice,Voice\nHello,v1,v2\n', ANY);
    expect(rows[0]?.spec.voice).toBe('v1');
    expect((await load('text,Voice\nHello,v2\n', { defaults: { voice: 'v1' } })).rows[0]?.spec.voice).toBe('v1');
  });

  it('are found for --map, too', async () => {
    const { rows } = await load('SPRECHTEXT,voice\nHello,v1\n', { ...ANY, map: { text: 'Sprechtext' } });
    expect(rows[0]?.spec.text).toBe('Hello');
  });

  it('that are one column twice are refused', async () => {
    expect(await problemsIn('Text,TEXT,voice\na,b,v\n', ANY)).toEqual(['1 TEXT duplicate-column']);
  });
});

describe('a header for a length', () => {
  const hintsIn = async (content: string): Promise<readonly string[]> =>
    (await check(content)).warnings.map(({ message }) => /did you mean (.*)\?$/.exec(message)?.[1] ?? '');

  it('is meant as that of the speech where there are no media, else as that of these', async () => {
    expect(await hintsIn('text;voice;Länge\na;v;6,5\n')).toEqual(['max_seconds']);
    expect(await hintsIn('text;voice;Länge;max_seconds\na;v;6,5;7\n')).toEqual(['']);
    expect(await hintsIn('audio;Länge\nhttps://a.example/a.mp3;6,5\n')).toEqual(['duration']);
  });
});

describe('a map for all manifests', () => {
  const both = { ...ANY, mapIfThere: { text: 'Sprechtext', voice: 'Stimme' } };

  it('counts where the file has the header, and says which of it counted', async () => {
    const { rows, summary } = await load('Sprechtext;voice\nHallo;v1\n', both);
    expect(rows[0]?.spec).toMatchObject({ text: 'Hallo', voice: 'v1' });
    expect(summary.mapUsed).toEqual({ text: 'Sprechtext' });
    expect((await load('text,voice\nHello,v1\n', both)).summary.mapUsed).toEqual({});
  });
});

describe('what is wrong with a header', () => {
  it('is told once, in its line, and names the column that is probably meant', async () => {
    const { problems, problemCount } = await check('id;text;Stimme\na;x;v\nb;y;v\nc;z;v\n', ANY);
    expect(problemCount).toBe(1);
    expect(problems).toMatchObject([{ line: 1, id: '', column: 'voice', code: 'missing-column' }]);
    expect(problems[0]?.expected).toContain('is it Stimme? Then: --map voice=Stimme');
  });

  it('does not hide what is wrong with the rows', async () => {
    expect(await problemsIn('id;text\na;x\nb;\na;z\n', ANY)).toEqual([
      '1 voice missing-column',
      '3 text missing-cell',
      '4 id duplicate-id',
    ]);
  });

  it('is answered with the maps that usual words suggest', async () => {
    const { problems } = await check('Nr;Sprechtext;Stimme\n1;Hallo;v\n', ANY);
    expect(problems).toMatchObject([{ code: 'no-header' }]);
    expect(problems[0]?.expected).toContain('perhaps --map id=Nr --map text=Sprechtext --map voice=Stimme');
  });

  it.each([
    ['of an unknown column', 'text,voice,Regie\na,v,x\n', { strict: true }],
    ['of a map', 'text,voice\na,v\n', { map: { regie: 'text' } }],
    ['of a kind', 'kind,text,voice\nsinging,a,v\n', {}],
  ])('suggests nothing for what is near no word: %s', async (_, content, options) => {
    const { problems } = await check(content, options);
    expect(problems[0]?.expected).not.toMatch(/did you mean|nearest|such as/);
  });
});

describe('rows and columns of a spreadsheet', () => {
  it('that are empty are left out, counted and told', async () => {
    const { rows, summary } = await load('id;text;voice\na;x;v\n;;\n ;; \nb;y;v\n;;;;\n');
    expect(rows.map(({ row, id, line }) => [row, id, line])).toEqual([
      [1, 'a', 2],
      [2, 'b', 5],
    ]);
    expect(summary.warnings).toEqual([{ column: '', message: 'empty rows, left out', line: 3, rows: 3 }]);
  });

  it('that a file name template uses are known, also under --strict', async () => {
    const options = { strict: true, nameTemplate: '{Szene}/{id}.{ext}' };
    expect((await load('id,text,voice,Szene\na,x,v,1\n', options)).summary.warnings).toEqual([]);
  });
});
