import { describe, expect, it } from '@jest/globals';
import { load } from './manifest-file.ts';

const VIDEO = 'https://media.example/v.mp4';

describe('a sample', () => {
  it('has rows of all kinds, voices and engines, whatever the order of the file', async () => {
    const lines = [
      ...Array.from({ length: 50 }, (_, n) => `a${n},tts,anna,,`),
      'b,tts,ben,,',
      'c,tts,cleo,,',
      'd,dub,anna,,' + VIDEO,
      'e,tts,anna,bright,',
    ];
    const idsOf = async (all: readonly string[], rows: number): Promise<readonly string[]> => {
      const header = 'id,kind,voice,engine,video,text\n';
      const content = header + all.map((line) => `${line},Hello\n`).join('');
      const { rows: read, summary } = await load(content, { subset: { type: 'sample', rows, seed: 1 } });
      const chosen = read.filter(summary.isChosen).map(({ id }) => id);
      expect(summary.chosen).toBe(chosen.length);
      return chosen.toSorted();
    };
    const drawn = await idsOf(lines, 5);
    expect(drawn).toEqual([expect.stringMatching(/^a\d+$/), 'b', 'c', 'd', 'e']);
    expect(await idsOf(lines.toReversed(), 5)).toEqual(drawn);
    expect(await idsOf(lines, 12)).toEqual(expect.arrayContaining([...drawn]));
  });
});
