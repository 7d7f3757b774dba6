/**
 * Which pages of a job list, newest first, are worth reading for jobs that are due for a poll. A page costs one read,
 * like a poll of one job, so it must show several.
 *
 * A job's position is the number of jobs made after it. A process knows that for its own jobs; jobs of others shift all
 * of them, and the shift is learned from where jobs are found.
 */

/** Minimum number of jobs that a page should show. */
export const WORTH_A_PAGE = 3;
/** Weight of the last page in the learned shift. */
const LEARN = 0.5;
/** Gatherings without page reads after a page that showed too few, the first time; doubled each time. */
const FIRST_REST = 4;
const LONGEST_REST = 256;

/** What a process has learned about a list. */
export interface ListSense {
  /** Jobs of others before one's own. */
  readonly shift: number;
  /** Remaining gatherings without page reads. */
  readonly rest: number;
  /** How long the last rest was, in gatherings. */
  readonly lastRest: number;
}

export const NEW_LIST: ListSense = { shift: 0, rest: 0, lastRest: 0 };

/**
 * Pages (from 1, ascending) that should show enough of the jobs at these positions (from 0, among the process's own).
 */
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
 * Learns from the pages read. `moved`: for each job found, how much further down it was than among the process's own.
 * `pages`: how many were read. After pages that showed too few, there are none for a while.
 */
export function learnPages(sense: ListSense, moved: readonly number[], pages: number): ListSense {
  const { lastRest } = sense;
  const isWorth = moved.length >= WORTH_A_PAGE * pages;
  const mean = moved.length === 0 ? sense.shift : moved.reduce((sum, one) => sum + one, 0) / moved.length;
  const rest = isWorth ? 0 : Math.min(LONGEST_REST, Math.max(FIRST_REST, lastRest * 2));
  return { shift: sense.shift + LEARN * (mean - sense.shift), rest, lastRest: rest };
}

/** Counts a gathering without page reads. */
export function restOnce(sense: ListSense): ListSense {
  return { ...sense, rest: sense.rest - 1 };
}
