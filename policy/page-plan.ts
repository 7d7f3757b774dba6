/**
 * Which pages of a list of jobs, newest first, are worth reading for jobs that are due for a poll. A page costs one read, as a poll of one
 * job does, so it must show several of them.
 *
 * How far down a job stands is how many were made after it. A process knows that of its own jobs; what others made since shifts all of
 * them, which is learned from where jobs were found.
 */

/** Jobs that a page must be expected to show, to be read. */
export const WORTH_A_PAGE = 3;
/** Part of what the last page showed that goes into the shift. */
const LEARN = 0.5;
/** Gatherings that make no page reads after one that came to little, the first time; doubled each time. */
const FIRST_REST = 4;
const LONGEST_REST = 256;

/** What was learned of a list. */
export interface ListSense {
  /** Jobs of others that stand before one's own. */
  readonly shift: number;
  /** Gatherings that still make no page reads. */
  readonly rest: number;
  /** How long the last rest was, in gatherings. */
  readonly lastRest: number;
}

export const NEW_LIST: ListSense = { shift: 0, rest: 0, lastRest: 0 };

/** Pages (from 1, ascending) that are expected to show enough of the jobs at these places (from 0, among the process's own). */
export function pagesFor({ shift }: ListSense, places: readonly number[], pageSize: number): readonly number[] {
  const wanted = new Map<number, number>();
  for (const place of places) {
    const page = Math.floor((place + Math.max(0, shift)) / pageSize) + 1;
    wanted.set(page, (wanted.get(page) ?? 0) + 1);
  }
  return [...wanted]
    .filter(([, jobs]) => jobs >= WORTH_A_PAGE)
    .map(([page]) => page)
    .sort((a, b) => a - b);
}

/**
 * Learns from the pages that were read. `moved`: for each job that was found, how much further down it stood than it would among the
 * process's own. `pages`: how many were read. Pages that showed too little are left alone for a while.
 */
export function learnPages(sense: ListSense, moved: readonly number[], pages: number): ListSense {
  const { lastRest } = sense;
  const isWorth = moved.length >= WORTH_A_PAGE * pages;
  const mean = moved.length === 0 ? sense.shift : moved.reduce((sum, one) => sum + one, 0) / moved.length;
  const rest = isWorth ? 0 : Math.min(LONGEST_REST, Math.max(FIRST_REST, lastRest * 2));
  return { shift: sense.shift + LEARN * (mean - sense.shift), rest, lastRest: rest };
}

/** One gathering passes without page reads. */
export function restOnce(sense: ListSense): ListSense {
  return { ...sense, rest: sense.rest - 1 };
}
