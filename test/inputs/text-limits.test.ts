import { describe, expect, it } from '@jest/globals';
import type { RowSpec } from '../../contract/row-kinds.ts';
import type { TextLimits } from '../../contract/api-limits.ts';
import { fitText, type TextRules } from '../../inputs/text-limits.ts';

const LONG = 'This is a sentence of a book. '.repeat(20);

function fit(rules: Partial<TextRules> = {}, spec: Partial<RowSpec> = {}): ReturnType<typeof fitText> {
  return fitText({ kind: 'tts', text: LONG, voice: 'v', extra: {}, ...spec }, { tts: 'job', ...rules });
}
const limits = (most: number, learntAt?: number): TextLimits => {
  return { 'speech-job': { most, ...(learntAt === undefined ? {} : { learntAt }) } };
};

describe('a text', () => {
  it('is whole where it fits, and where no limit is known and nobody asked for parts', () => {
    expect(fit()).toEqual({ parts: [] });
    expect(fit({ textLimits: limits(600) })).toEqual({ parts: [] });
    expect(fit({ textLimits: limits(600), split: 'sentences' })).toEqual({ parts: [] });
    expect(fit({ textLimits: { 'speech-sync': { most: 10 } } })).toEqual({ parts: [] });
  });

  it('that is too long is refused, with the length, the limit, where that is from, and what to do', () => {
    const expected = 'a text of at most 500 characters (textLimit); add --split sentences';
    const finding = { expected, got: '600 characters', code: 'text-too-long' };
    expect(fit({ textLimits: limits(500) })).toEqual({ finding });
    const now = Date.now();
    const learnt = `(learnt on ${new Date(now).toISOString().slice(0, 10)} from a refusal of the API)`;
    expect(fit({ textLimits: limits(500, now) })).toMatchObject({
      finding: { expected: expect.stringContaining(learnt) },
    });
  });

  it.each([
    ['that few engines have', 120, 0],
    ['more than 30 days ago', 500, 31],
    ['on a day to come, by a clock that was ahead', 500, -1],
  ])('is sent although a limit was learnt %s, and split by it', (_, most, days) => {
    const textLimits = limits(most, Date.now() - days * 86_400_000);
    expect(fit({ textLimits })).toEqual({ parts: [] });
    const split = fit({ textLimits, split: 'sentences' });
    expect('parts' in split && split.parts.length).toBeGreaterThan(1);
  });

  it('is cut by the limit, or by a guess where none is known', () => {
    expect(fit({ split: 'sentences', textLimits: limits(100) })).toMatchObject({ parts: { length: 7 } });
    expect(fit({ split: 'sentences' }, { text: LONG.repeat(7) })).toMatchObject({ parts: { length: 3 } });
  });

  it.each<[string, Partial<RowSpec>, string]>([
    [
      'of a chain, whose next step needs the link of its sound',
      { kind: 'dub', video: 'http://h/v.mp4' },
      'dub rows cannot',
    ],
    ['with markup', { text: `<speak>${LONG}</speak>` }, 'markup'],
  ])('%s is refused rather than cut', (_, spec, words) => {
    const answer = fit({ split: 'sentences', textLimits: limits(100) }, spec);
    expect(answer).toMatchObject({ finding: { expected: expect.stringContaining(words) } });
  });
});
