import { expect, it } from '@jest/globals';
import type { Judgement } from '../../../contract/verify.ts';
import { judgementWords } from '../../../starters/terminal/attempt-words.ts';

it('does not say that words were right because as many were heard as the text has', () => {
  const judgement = { is: 'differs', error: 0.7776, run: 6.2, words: 8, heard: 8, threshold: 0.1 } as Judgement;
  expect(judgementWords(judgement)).toBe('heard 8 words, the text has 8: 77.8 % wrong (at most 10 %), 6 in a row');
  expect(judgementWords({ ...judgement, heard: 1 })).toContain('heard 1 word, the text has 8: ');
});
