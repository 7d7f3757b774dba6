import { diffArrays } from 'diff';

/** A stretch in which two lists of words agree, or do not. */
export interface Stretch {
  readonly isEqual: boolean;
  /** Words of the first list: from, to (not included). */
  readonly first: readonly [from: number, to: number];
  /** Words of the second list. */
  readonly second: readonly [from: number, to: number];
}

/** Max words removed and added; finding this many takes half a second. */
const MOST_EDITS = 3_000;

/**
 * Aligns two lists of words with as many matches as possible, and returns the equal and the differing stretches, in
 * order. Lists with next to nothing in common count as one stretch: nobody needs more detail about them.
 */
export function alignWords(first: readonly string[], second: readonly string[]): readonly Stretch[] {
  const changes = diffArrays([...first], [...second], { maxEditLength: MOST_EDITS });
  if (changes === undefined) return [{ isEqual: false, first: [0, first.length], second: [0, second.length] }];
  const stretches: Stretch[] = [];
  let [i, j] = [0, 0];
  for (const { added, removed, count } of changes) {
    const [toFirst, toSecond] = [added ? i : i + count, removed ? j : j + count];
    const one: Stretch = { isEqual: !added && !removed, first: [i, toFirst], second: [j, toSecond] };
    const last = stretches.at(-1);
    if (last?.isEqual === one.isEqual) stretches[stretches.length - 1] = join(last, one);
    else stretches.push(one);
    [i, j] = [toFirst, toSecond];
  }
  return stretches;
}

/** One stretch from the start of the one to the end of the other. */
export function join(from: Stretch, to: Stretch): Stretch {
  return {
    isEqual: from.isEqual && to.isEqual,
    first: [from.first[0], to.first[1]],
    second: [from.second[0], to.second[1]],
  };
}

/** How many words are added, removed or replaced in all. */
export function changesIn(stretches: readonly Stretch[]): number {
  return stretches.reduce(
    (sum, { isEqual, first, second }) => (isEqual ? sum : sum + Math.max(first[1] - first[0], second[1] - second[0])),
    0,
  );
}
