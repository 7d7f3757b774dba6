import { diffArrays } from 'diff';

/** Aligns two lists of words, to count differences (`compare/`) and to judge transcripts (`verification/`). */

/** A range of both lists in which all words are equal, or none are. */
export interface Stretch {
  readonly isEqual: boolean;
  /** Index range in the first list; `to` is exclusive. */
  readonly first: readonly [from: number, to: number];
  /** Index range in the second list. */
  readonly second: readonly [from: number, to: number];
}

/** Max edit distance that is searched for; this many edits take half a second. */
const MAX_EDITS = 3_000;

/**
 * Aligns two lists of words with as many matches as possible, and returns the equal and the differing stretches, in
 * order. Lists that differ by more than {@link MAX_EDITS} words count as one differing stretch.
 */
export function alignWords(first: readonly string[], second: readonly string[]): readonly Stretch[] {
  const changes = diffArrays([...first], [...second], { maxEditLength: MAX_EDITS });
  if (changes === undefined) return [{ isEqual: false, first: [0, first.length], second: [0, second.length] }];
  const stretches: Stretch[] = [];
  let fromFirst = 0;
  let fromSecond = 0;
  for (const { added, removed, count } of changes) {
    const toFirst = added ? fromFirst : fromFirst + count;
    const toSecond = removed ? fromSecond : fromSecond + count;
    const stretch: Stretch = {
      isEqual: !added && !removed,
      first: [fromFirst, toFirst],
      second: [fromSecond, toSecond],
    };
    const last = stretches.at(-1);
    if (last?.isEqual === stretch.isEqual) stretches[stretches.length - 1] = join(last, stretch);
    else stretches.push(stretch);
    fromFirst = toFirst;
    fromSecond = toSecond;
  }
  return stretches;
}

/** Returns the stretch from the start of one to the end of another. */
export function join(from: Stretch, to: Stretch): Stretch {
  return {
    isEqual: from.isEqual && to.isEqual,
    first: [from.first[0], to.first[1]],
    second: [from.second[0], to.second[1]],
  };
}

/** Returns how many words are added, removed or replaced in all; replacing one word counts once. */
export function changesIn(stretches: readonly Stretch[]): number {
  return stretches.reduce(
    (sum, { isEqual, first, second }) => (isEqual ? sum : sum + Math.max(first[1] - first[0], second[1] - second[0])),
    0,
  );
}
