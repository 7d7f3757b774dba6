import type { SearchFigures } from '../../contract/search-attributes.ts';

/**
 * Each change of search attributes is an event of the history; numbers alone change them no more often than this, ms.
 */
const SHOW_EVERY_MS = 60_000;

/**
 * Whether to update the search attributes of a batch's workflow: at once if its state changes, if the first row becomes
 * unknown or the last unknown one is settled, or if the batch has ended; otherwise at most once a minute.
 *
 * @param before what is shown now; undefined for nothing yet
 * @param sinceMs time since the last update, ms
 */
export function isWorthShowing(before: SearchFigures | undefined, now: SearchFigures, sinceMs: number): boolean {
  if (before === undefined) return true;
  if (before.state !== now.state || isFirstOrLastUnknown(before.unknown, now.unknown)) return true;
  const isOther =
    before.done !== now.done ||
    before.failed !== now.failed ||
    before.unknown !== now.unknown ||
    before.credits !== now.credits;
  return isOther && (now.state === 'ended' || sinceMs >= SHOW_EVERY_MS);
}

/** Whether the first row became unknown, or the last unknown row was settled. A person may be waiting for either. */
export function isFirstOrLastUnknown(shownUnknown: number, unknown: number): boolean {
  return shownUnknown > 0 !== unknown > 0;
}
