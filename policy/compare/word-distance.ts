import { alignWords, changesIn } from '../align-words.ts';

const SEGMENTER = new Intl.Segmenter('und', { granularity: 'word' });

/** The words of a text, normalised for case, punctuation and Unicode form; also handles languages without spaces. */
export function wordsOf(text: string): readonly string[] {
  const plain = text.normalize('NFKC').toLowerCase();
  return Array.from(SEGMENTER.segment(plain)).flatMap(({ segment, isWordLike }) =>
    isWordLike === true ? [segment] : [],
  );
}

/**
 * The edit distance between two texts, in words added, removed or replaced. Texts so different that it would take long
 * count as different in every word.
 */
export function wordDistance(one: readonly string[], other: readonly string[]): number {
  return changesIn(alignWords(one, other));
}
