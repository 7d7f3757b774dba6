import { alignWords, changesIn } from '../align-words.ts';

const SEGMENTER = new Intl.Segmenter('und', { granularity: 'word' });

/** The words of a text, without case, punctuation and forms of one character; languages without spaces included. */
export function wordsOf(text: string): readonly string[] {
  const plain = text.normalize('NFKC').toLowerCase();
  return Array.from(SEGMENTER.segment(plain)).flatMap(({ segment, isWordLike }) =>
    isWordLike === true ? [segment] : [],
  );
}

/**
 * How many words must be added, removed or replaced to make one text the other, where as many as can stay. Texts that are so unlike that it would
 * take long count as different in every word.
 */
export function wordDistance(one: readonly string[], other: readonly string[]): number {
  return changesIn(alignWords(one, other));
}
