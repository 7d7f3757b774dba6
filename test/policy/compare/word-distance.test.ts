import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { wordDistance, wordsOf } from '../../../policy/compare/row-parity.ts';

describe('wordsOf', () => {
  it('leaves out case, punctuation and forms of characters', () => {
    expect(wordsOf('Hello, WORLD! ﬁne…')).toEqual(['hello', 'world', 'fine']);
    expect(wordsOf(' – ')).toEqual([]);
  });

  it('finds words where no spaces are written', () => expect(wordsOf('今天天气很好').length).toBeGreaterThan(1));
});

describe('wordDistance', () => {
  it.each([
    ['', '', 0],
    ['a b c', 'a b c', 0],
    ['a b c', 'a x c', 1],
    ['a b c', 'a c', 1],
    ['a b c', 'x a b c y', 2],
    ['', 'a b', 2],
    ['kitten on a mat', 'sitting at the mat', 3],
  ])('of "%s" and "%s" is %i', (one, other, distance) => {
    expect(wordDistance(one.split(' ').filter(Boolean), other.split(' ').filter(Boolean))).toBe(distance);
  });

  it('is at most twice what the whole table says, however long the texts', () => {
    const text = fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 60 });
    fc.assert(
      fc.property(text, text, (one, other) => {
        const least = byWholeTable(one, other);
        expect(wordDistance(one, other)).toBeGreaterThanOrEqual(least);
        expect(wordDistance(one, other)).toBeLessThanOrEqual(2 * least);
      }),
    );
  });

  it('of texts of millions of words that have none in common is all of them', () => {
    const words = (name: string, count: number): readonly string[] => Array<string>(count).fill(name);
    expect(wordDistance(words('a', 4_000_000), words('b', 3_900_000))).toBe(4_000_000);
  });

  it('of long texts with few changes does not look at every pair of words', () => {
    const one = Array.from({ length: 50_000 }, (_, at) => `w${at}`);
    const other = one.toSpliced(10, 1).toSpliced(40_000, 0, 'new');
    expect(wordDistance(one, other)).toBe(2);
  });
});

/** The textbook's way. */
function byWholeTable(one: readonly string[], other: readonly string[]): number {
  let before = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (const [index, word] of one.entries()) {
    const now = [index + 1];
    for (const [at, against] of other.entries())
      now.push(Math.min((before[at] ?? 0) + (word === against ? 0 : 1), (before[at + 1] ?? 0) + 1, (now[at] ?? 0) + 1));
    before = now;
  }
  return before.at(-1) ?? 0;
}
