import type { SearchFigures } from '../../contract/search-attributes.ts';

/**
 * Each change of search attributes is an event of the history; numbers alone change them no more often than this, ms.
 */
const SHOW_EVERY_MS = 60_000;

/**
 * Whether to change what Temporal's lists show of a batch: at once if the state changes, if the first row becomes
 * unknown or the last one is settled, or if the batch has ended; otherwise at most once a minute.
 *
 * @param before what is shown; undefined: nothing yet
 * @param sinceMs how long ago that was shown, ms
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

/** Whether unknown rows came to a batch that had none, or the other way round: a person may be waiting for that. */
export function isFirstOrLastUnknown(shownUnknown: number, unknown: number): boolean {
  return shownUnknown > 0 !== unknown > 0;
}
