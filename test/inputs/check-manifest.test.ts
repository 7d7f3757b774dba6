import { describe, expect, it } from '@jest/globals';
import { chooseSettings } from '../../batches/batch-settings.ts';
import { manifestOfText, openManifest } from '../../inputs/manifest-source.ts';
import { checkManifest, readManifest } from '../../inputs/read-manifest.ts';
import { check, load, manifestFile, OPTIONS } from './manifest-file.ts';

describe('a manifest is', () => {
  const sound = { type: 'sound', options: OPTIONS, summary: { rows: 1, affordable: { rows: 1 } } };
  const mixed = { type: 'faulty', summary: { problems: [{ code: 'mixed-batches' }] } };
  const ofBatch = { type: 'outcome-file', batch: 'demo' };

  it.each<[string, string, object, number?]>([
    ['sound, with its bill', 'id,text,voice\na,Hello,v\n', sound, 1_000],
    ['faulty, with all faults', 'id,text,voice\na,,v\nb,Hello,\n', { type: 'faulty', summary: { problemCount: 2 } }],
    ['an outcome file, also where cells of it are wrong', 'id,text,voice,_batch,_row\na,,v,demo,1\n', ofBatch],
    ['one whose columns mean something only under its --map', 'Skript,_batch,_row\nHallo,demo,1\n', ofBatch],
    ['faulty with rows of several batches', 'id,text,voice,_batch,_row\na,One,v,demo,1\nb,Two,v,other,1\n', mixed],
  ])('%s', async (_, content, expected, budget: number | null = null) => {
    const source = await openManifest(await manifestFile(content));
    expect(await checkManifest(source, OPTIONS, budget)).toMatchObject(expected);
  });
});

it('a sample has rows of all kinds, voices and engines, whatever the order of the file', async () => {
  const many = Array.from({ length: 50 }, (_, n) => `a${n},tts,anna,,`);
  const few = ['b,tts,ben,,', 'c,tts,cleo,,', 'd,dub,anna,,https://media.example/v.mp4', 'e,tts,anna,bright,'];
  const idsOf = async (all: readonly string[], rows: number): Promise<readonly string[]> => {
    const content = ['id,kind,voice,engine,video,text', ...all.map((line) => `${line},Hello`), ''].join('\n');
    const { rows: read, summary } = await load(content, { subset: { type: 'sample', rows, seed: 1 } });
    const chosen = read.filter(summary.isChosen).map(({ id }) => id);
    expect(summary.chosen).toBe(chosen.length);
    return chosen.toSorted();
  };
  const drawn = await idsOf([...many, ...few], 5);
  expect(drawn).toEqual([expect.stringMatching(/^a\d+$/), 'b', 'c', 'd', 'e']);
  expect(await idsOf([...many, ...few].toReversed(), 5)).toEqual(drawn);
  expect(await idsOf([...many, ...few], 12)).toEqual(expect.arrayContaining([...drawn]));
});

it('a manifest may be split and joined: a row in parts is one row of its group', async () => {
  const wanted = { split: 'sentences', join: { column: 'chapter', pause: 0 } } as const;
  const { manifest: options } = chooseSettings(wanted, { textLimit: 100 });
  const texts = ['This is a sentence of a book. '.repeat(6).trim(), 'Short.'];
  const lines = texts.map((text, at) => JSON.stringify({ id: `${at}`, text, voice: 'anna', chapter: 'one' }));
  const source = manifestOfText('book.jsonl', lines.join('\n'));
  const checked = await checkManifest(source, options, null);
  if (checked.type !== 'sound') throw new Error('The manifest is not sound.');
  const parts: number[] = [];
  for await (const row of readManifest(source, options, checked.summary)) parts.push(row.parts?.length ?? 0);
  expect(parts).toEqual([2, 0]);
});

describe('the dialects of the rows of a manifest', () => {
  const MIXED = [
    'id,kind,text,voice,audio,video',
    ...Array.from({ length: 40 }, (_, n) => `t${n},tts,Hello ${n},narrator,,`),
    'l1,lip-sync,,,https://x.example/a.mp3,https://x.example/v.mp4',
    's1,stt,,,https://x.example/a.mp3,',
    'd1,dub,Hello,narrator,,https://x.example/v.mp4',
    '',
  ].join('\n');

  it('are v1, which is not written down, unless they are asked for', async () => {
    expect((await load(MIXED)).rows.filter(({ spec }) => 'dialect' in spec)).toEqual([]);
  });

  it('all legacy: rows of a kind that it lacks are problems, and nothing is made of the manifest', async () => {
    const { problems } = await check(MIXED, { legacyShare: 1 });
    expect(problems).toMatchObject([
      { line: 43, id: 's1', column: 'kind', got: 'stt', code: 'not-in-dialect' },
      { line: 44, id: 'd1', column: 'kind', got: 'dub', code: 'not-in-dialect' },
    ]);
    expect(problems[0]?.expected).toMatch(
      /kind that the legacy paths of the API have: tts, lip-sync.*stt rows need --api-dialect v1/,
    );
  });

  it('a share: each row has the same one however often it is read, and kinds that legacy lacks stay on v1', async () => {
    const legacyIn = async (legacyShare: number): Promise<readonly string[]> => {
      const { rows } = await load(MIXED, { legacyShare });
      return rows.filter(({ spec }) => spec.dialect === 'legacy').map(({ id }) => id);
    };
    const half = await legacyIn(0.5);
    expect(await legacyIn(0.5)).toEqual(half);
    expect(half.length).toBeGreaterThan(10);
    expect(half.length).toBeLessThan(31);
    expect(half.filter((id) => ['s1', 'd1'].includes(id))).toEqual([]);
    expect(await legacyIn(0.9)).toEqual(expect.arrayContaining([...half]));
  });
});
