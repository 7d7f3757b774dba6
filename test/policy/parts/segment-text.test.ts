import fc from 'fast-check';
import { describe, expect, jest, test } from '@jest/globals';
import { segmentsOf, splitText } from '../../../policy/parts/split-text.ts';

const GRANULARITIES = ['sentence', 'word', 'grapheme'] as const;
const PIECES = [
  'The house stood empty. ',
  'He knew! ',
  '「こんにちは」と彼は言った。',
  'ภาษาไทยไม่มีช่องว่างระหว่างคำ ',
  '👨‍👩‍👧‍👦🇩🇪é',
  '\r\n',
  'x'.repeat(300),
  `e${'\u0301'.repeat(700)}`,
];
const texts = fc.array(fc.constantFrom(...PIECES), { maxLength: 60 }).map((pieces) => pieces.join(''));

const cut = (granularity: (typeof GRANULARITIES)[number], text: string): string[] =>
  Array.from(segmentsOf(new Intl.Segmenter('und', { granularity }), text), ({ segment }) => segment);

describe('the segments of a long text', () => {
  test('are the text if put together', () => {
    fc.assert(
      fc.property(texts, fc.constantFrom(...GRANULARITIES), (text, granularity) => {
        expect(cut(granularity, text).join('')).toBe(text);
      }),
    );
  });

  test.each(['sentence', 'grapheme'] as const)('are those of the text as one: each %s', (granularity) => {
    const whole = new Intl.Segmenter('und', { granularity });
    fc.assert(
      fc.property(texts, (text) => {
        expect(cut(granularity, text)).toEqual(Array.from(whole.segment(text), ({ segment }) => segment));
      }),
      { numRuns: 30 },
    );
  });
});

describe('a long text', () => {
  test.each([
    ['English', 'The quick brown fox. '],
    ['English without punctuation', 'the quick brown fox '],
    ['Thai', 'สวัสดีครับวันนี้อากาศดี '],
    ['Chinese without punctuation', '今天天气很好我们去公园'],
  ])('is never walked through as one string, where each step would take as long as that is: %s', (_, unit) => {
    const text = unit.repeat(Math.ceil(30_000 / unit.length));
    const walked = jest.spyOn(Intl.Segmenter.prototype, 'segment');
    try {
      for (const granularity of ['word', 'grapheme'] as const) expect(cut(granularity, text).join('')).toBe(text);
      const lengths = walked.mock.calls.map(([input]) => input.length);
      expect(Math.max(...lengths)).toBeLessThanOrEqual(1_024);
      expect(lengths.reduce((sum, length) => sum + length, 0)).toBeLessThan(text.length * 3);
    } finally {
      walked.mockRestore();
    }
  });

  test('is cut from windows of it', () => {
    const walked = jest.spyOn(Intl.Segmenter.prototype, 'segment');
    try {
      splitText('The quick brown fox. '.repeat(2_000), { by: 'sentences', limit: 2_000 });
      expect(Math.max(...walked.mock.calls.map(([input]) => input.length))).toBeLessThanOrEqual(1_024);
    } finally {
      walked.mockRestore();
    }
  });
});
