import type { Outcome } from '../../contract/outcomes.ts';

/**
 * Of the takes of a row that did not pass, the best is kept: a further take may bring something better, and never takes
 * away what is there.
 */

/** The part of an ending that matters here. */
interface Ended {
  readonly outcome: Outcome;
  /** For `unfit`: how bad its file is, less is better. Default 1. */
  readonly error?: number;
  readonly file?: { readonly key: string };
}

/** How a row ends if its further takes bring nothing better. */
interface Kept<Ending> {
  readonly ending: Ending;
  readonly error: number;
}

/** Endings that bring no file, and leave nothing open that the row could still get. */
const EMPTY_HANDED: readonly Outcome[] = ['failed', 'skipped', 'cancelled'];

/** How a row really ends: as its last take did, or with what was kept of an earlier one. */
export function bestEnding<Ending extends Ended>(last: Ending, kept: Kept<Ending> | undefined): Ending {
  if (kept === undefined) return last;
  if (EMPTY_HANDED.includes(last.outcome)) return kept.ending;
  // What was found last of the same file is what is known of it.
  if (last.outcome === 'unfit' && last.file !== undefined && last.file.key === kept.ending.file?.key) return last;
  return last.outcome === 'unfit' && errorOf(last) >= kept.error ? kept.ending : last;
}

/** What is kept before a further take: the better of what was kept so far and the ending of the last take. */
export function betterFallback<Ending extends Ended>(
  last: Ending,
  kept: Kept<Ending> | undefined,
): Kept<Ending> | undefined {
  if (last.outcome !== 'unfit' || (kept !== undefined && errorOf(last) >= kept.error)) return kept;
  return { ending: last, error: errorOf(last) };
}

function errorOf({ error = 1 }: Ended): number {
  return error;
}
