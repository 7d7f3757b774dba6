/** Words that have to agree in a row, and to be nowhere else. */
const WORDS = 4;

/**
 * Places where two lists of words certainly agree: rows of words that each list has once, in the order of both. Cut
 * there, long lists can be compared part by part (patience diff). Returns the starts, as places in both lists.
 */
export function findAnchors(
  first: readonly string[],
  second: readonly string[],
): readonly (readonly [inFirst: number, inSecond: number])[] {
  const there = placesOfUnique(second);
  const pairs = [...placesOfUnique(first)].flatMap(([row, at]) => {
    const other = there.get(row);
    return at === undefined || other === undefined ? [] : [[at, other] as const];
  });
  return longestRising(pairs);
}

/** Where each row of words begins; undefined if it is there twice. */
function placesOfUnique(words: readonly string[]): Map<string, number | undefined> {
  const places = new Map<string, number | undefined>();
  for (let at = 0; at + WORDS <= words.length; at++) {
    const row = words.slice(at, at + WORDS).join(' ');
    places.set(row, places.has(row) ? undefined : at);
  }
  return places;
}

/** The longest choice of pairs, in the order of their first places, whose second places rise, too. */
function longestRising(pairs: readonly (readonly [number, number])[]): readonly (readonly [number, number])[] {
  // The pair that ends the best choice of each length, and the one before each pair.
  const ends: number[] = [];
  const before: (number | undefined)[] = [];
  for (const [at, [, place]] of pairs.entries()) {
    let [low, high] = [0, ends.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((pairs[ends[middle] ?? 0]?.[1] ?? 0) < place) low = middle + 1;
      else high = middle;
    }
    before[at] = low === 0 ? undefined : ends[low - 1];
    ends[low] = at;
  }
  const chosen: (readonly [number, number])[] = [];
  for (let at = ends.at(-1); at !== undefined; at = before[at]) {
    const pair = pairs[at];
    if (pair !== undefined) chosen.push(pair);
  }
  return chosen.reverse();
}
