import { describe, expect, it } from '@jest/globals';
import { check, load } from './manifest-file.ts';

const MIXED = [
  'id,kind,text,voice,audio,video',
  ...Array.from({ length: 40 }, (_, n) => `t${n},tts,Hello ${n},narrator,,`),
  'l1,lip-sync,,,https://x.example/a.mp3,https://x.example/v.mp4',
  's1,stt,,,https://x.example/a.mp3,',
  'd1,dub,Hello,narrator,,https://x.example/v.mp4',
  '',
].join('\n');

describe('the dialects of the rows of a manifest', () => {
  it('are v1, which is not written down, unless they are asked for', async () => {
    const { rows } = await load(MIXED);
    expect(rows.filter(({ spec }) => 'dialect' in spec)).toEqual([]);
  });

  it('all legacy: rows of a kind that it lacks are problems, and nothing is made of the manifest', async () => {
    const { problems } = await check(MIXED, { legacyShare: 1 });
    expect(problems).toMatchObject([
      { line: 43, id: 's1', column: 'kind', came: 'stt', code: 'not-in-dialect' },
      { line: 44, id: 'd1', column: 'kind', came: 'dub', code: 'not-in-dialect' },
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
    expect(half).not.toContain('s1');
    expect(half).not.toContain('d1');
    expect(await legacyIn(0.9)).toEqual(expect.arrayContaining([...half]));
  });
});
