import type { Outcome } from '../../contract/outcomes.ts';

/**
 * Keeps the best of a row's takes that did not pass: a further take may bring a better result, but never loses the
 * present one.
 */

/** The part of an ending that matters here. */
interface Ended {
  readonly outcome: Outcome;
  /** For `unfit`: badness of its file; lower is better. Default 1. */
  readonly error?: number;
  readonly file?: { readonly key: string };
}

/** How a row ends if its further takes bring nothing better. */
interface Kept<Ending> {
  readonly ending: Ending;
  readonly error: number;
}

/** Endings without a file that leave nothing the row could still receive. */
const EMPTY_HANDED: readonly Outcome[] = ['failed', 'skipped', 'cancelled'];

/** The row's real ending: that of its last take, or the one kept from an earlier take. */
export function bestEnding<Ending extends Ended>(last: Ending, kept: Kept<Ending> | undefined): Ending {
  if (kept === undefined) return last;
  if (EMPTY_HANDED.includes(last.outcome)) return kept.ending;
  // The latest judgement of the same file counts.
  if (last.outcome === 'unfit' && last.file !== undefined && last.file.key === kept.ending.file?.key) return last;
  return last.outcome === 'unfit' && errorOf(last) >= kept.error ? kept.ending : last;
}

/** The fallback before a further take: the better of the present fallback and the last take's ending. */
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
