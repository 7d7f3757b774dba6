import { findAnchors } from './find-anchors.ts';

/** A stretch in which two lists of words agree, or do not. */
export interface Stretch {
  readonly isEqual: boolean;
  /** Words of the first list: from, to (not included). */
  readonly first: readonly [from: number, to: number];
  /** Words of the second list. */
  readonly second: readonly [from: number, to: number];
}

/** Cells of a table at most: 8 MB, and a tenth of a second. */
const MOST_CELLS = 8_000_000;
/** Longer lists are first cut where they certainly agree. */
const MOST_UNCUT = 300;

const NONE = 0;
const BOTH = 1;
const FIRST = 2;
const SECOND = 3;

/**
 * Aligns two lists of words, and returns where they agree and where not, in order: with as few changes as possible
 * between the places where they certainly agree. Lists that have next to nothing in common count as one stretch, for
 * nobody needs to know more about them.
 */
export function alignWords(first: readonly string[], second: readonly string[]): readonly Stretch[] {
  const cuts = Math.max(first.length, second.length) > MOST_UNCUT ? findAnchors(first, second) : [];
  const stretches: Stretch[] = [];
  let [i, j] = [0, 0];
  for (const [toFirst, toSecond] of [...cuts, [first.length, second.length] as const]) {
    const part = alignPart(first.slice(i, toFirst), second.slice(j, toSecond));
    for (const { isEqual, ...at } of part) {
      const moved: Stretch = { isEqual, first: shift(at.first, i), second: shift(at.second, j) };
      const last = stretches.at(-1);
      if (last?.isEqual !== isEqual) stretches.push(moved);
      else stretches[stretches.length - 1] = join(last, moved);
    }
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

function shift([from, to]: readonly [number, number], by: number): readonly [number, number] {
  return [from + by, to + by];
}

/** Looks only at a band around the diagonal, which it makes twice as wide until the way lies within. */
function alignPart(first: readonly string[], second: readonly string[]): readonly Stretch[] {
  if (first.length + second.length === 0) return [];
  const most = Math.max(first.length, second.length);
  for (let band = 16; ; band *= 2) {
    const width = Math.min(band, most);
    if ((first.length + 1) * (2 * width + 1) > MOST_CELLS) {
      return [{ isEqual: false, first: [0, first.length], second: [0, second.length] }];
    }
    const ways = Math.abs(first.length - second.length) > width ? undefined : fill(first, second, width);
    if (ways !== undefined) return stretchesOf(ways, first, second, width);
  }
}

/** The last move to each cell of the band; undefined if the way takes more changes than the band is wide. */
function fill(first: readonly string[], second: readonly string[], width: number): Uint8Array | undefined {
  const [n, m] = [first.length, second.length];
  const columns = 2 * width + 1;
  const moves = new Uint8Array((n + 1) * columns);
  const TOO_MANY = width + 1;
  let before = new Int32Array(columns).fill(TOO_MANY);
  let here = new Int32Array(columns).fill(TOO_MANY);
  for (let i = 0; i <= n; i++) {
    here.fill(TOO_MANY);
    const word = first[i - 1];
    for (let at = Math.max(0, width - i); at < columns; at++) {
      const j = i + at - width;
      if (j > m) break;
      let cost = i === 0 && j === 0 ? 0 : TOO_MANY;
      let move = NONE;
      const both = i > 0 && j > 0 ? (before[at] ?? TOO_MANY) + (word === second[j - 1] ? 0 : 1) : TOO_MANY;
      if (both < cost) {
        cost = both;
        move = BOTH;
      }
      const skipFirst = i > 0 ? (before[at + 1] ?? TOO_MANY) + 1 : TOO_MANY;
      if (skipFirst < cost) {
        cost = skipFirst;
        move = FIRST;
      }
      const skipSecond = j > 0 ? (here[at - 1] ?? TOO_MANY) + 1 : TOO_MANY;
      if (skipSecond < cost) {
        cost = skipSecond;
        move = SECOND;
      }
      here[at] = cost;
      moves[i * columns + at] = move;
    }
    [before, here] = [here, before];
  }
  return (before[m - n + width] ?? TOO_MANY) > width ? undefined : moves;
}

function stretchesOf(
  moves: Uint8Array,
  first: readonly string[],
  second: readonly string[],
  width: number,
): readonly Stretch[] {
  const columns = 2 * width + 1;
  const stretches: Stretch[] = [];
  let [i, j] = [first.length, second.length];
  let open: { isEqual: boolean; i: number; j: number } | undefined;
  const close = (): void => {
    if (open !== undefined) stretches.push({ isEqual: open.isEqual, first: [i, open.i], second: [j, open.j] });
  };
  while (i > 0 || j > 0) {
    const move = moves[i * columns + (j - i + width)];
    const isEqual = move === BOTH && first[i - 1] === second[j - 1];
    if (open?.isEqual !== isEqual) {
      close();
      open = { isEqual, i, j };
    }
    if (move !== SECOND) i--;
    if (move !== FIRST) j--;
  }
  close();
  return stretches.reverse();
}
