const SEGMENTER = new Intl.Segmenter('und', { granularity: 'word' });

/** Band of the first try; each further one is twice as wide. */
const FIRST_BAND = 8;

/** The words of a text, without case, punctuation and forms of one character; languages without spaces included. */
export function wordsOf(text: string): readonly string[] {
  const plain = text.normalize('NFKC').toLowerCase();
  return Array.from(SEGMENTER.segment(plain)).flatMap(({ segment, isWordLike }) =>
    isWordLike === true ? [segment] : [],
  );
}

/** Cells of the table that are looked at, at most: a second. */
const MOST_CELLS = 50_000_000;

/**
 * How many words must be added, removed or replaced to make one text the other (Levenshtein). Takes time in proportion
 * to the length of the texts and to that number. Texts that are so long, and so unlike, that it would take many seconds
 * count as different in every word.
 */
export function wordDistance(one: readonly string[], other: readonly string[]): number {
  let from = 0;
  while (from < one.length && from < other.length && one[from] === other[from]) from += 1;
  let [end, otherEnd] = [one.length, other.length];
  while (end > from && otherEnd > from && one[end - 1] === other[otherEnd - 1]) {
    end -= 1;
    otherEnd -= 1;
  }
  const [left, right] = [one.slice(from, end), other.slice(from, otherEnd)];
  const most = Math.max(left.length, right.length);
  for (let band = FIRST_BAND; ; band *= 2) {
    if (left.length * Math.min(band, most) * 2 > MOST_CELLS) return most;
    const found = distanceWithin(left, right, Math.min(band, most));
    if (found <= band || band >= most) return found;
  }
}

/**
 * The distance, if it is at most `band`; otherwise some number above it. Looks only at the band around the diagonal: of a
 * row of the table it keeps the cells from `row - band` on.
 */
function distanceWithin(left: readonly string[], right: readonly string[], band: number): number {
  const far = left.length + right.length + 1;
  const cells = 2 * band + 1;
  let before = Array.from({ length: cells }, (_, cell) => (cell >= band ? cell - band : far));
  for (const [index, word] of left.entries()) {
    const now: number[] = [];
    for (let cell = 0; cell < cells; cell += 1) {
      const at = index + 1 - band + cell;
      const replaced = at < 1 ? far : (before[cell] ?? far) + (right[at - 1] === word ? 0 : 1);
      const removed = (before[cell + 1] ?? far) + 1;
      const added = (now[cell - 1] ?? far) + 1;
      now.push(at < 0 || at > right.length ? far : Math.min(replaced, removed, added));
    }
    before = now;
  }
  return before[right.length - left.length + band] ?? far;
}
