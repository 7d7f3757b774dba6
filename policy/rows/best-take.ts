import { outcomesThat, type Outcome } from '../../contract/outcomes.ts';

/**
 * Keeps the best unfit result over a row's takes: a retake may bring a better result, but never loses the one before.
 * The ledger stores the kept ending as the row's fallback while further takes run.
 */

/** The part of an ending that decides. */
interface Ended {
  readonly outcome: Outcome;
  /** For `unfit`: badness of its file; lower is better. Default 1. */
  readonly error?: number;
  readonly file?: { readonly key: string };
}

/** The fallback: how a row ends if its further takes bring nothing better. `error`: badness of its file. */
interface Kept<Ending> {
  readonly ending: Ending;
  readonly error: number;
}

/** Outcomes without a file, of rows that cannot receive one any more: no answer is being looked for. */
const EMPTY_HANDED = outcomesThat(({ hasFile, exit }) => !hasFile && exit !== 'unknown');

/** Returns how a row ends: as its last take did, or as the kept earlier take did, if that is better. */
export function bestEnding<Ending extends Ended>(last: Ending, kept: Kept<Ending> | undefined): Ending {
  if (kept === undefined) return last;
  if (EMPTY_HANDED.includes(last.outcome)) return kept.ending;
  // The latest judgement of the same file counts.
  if (last.outcome === 'unfit' && last.file !== undefined && last.file.key === kept.ending.file?.key) return last;
  return last.outcome === 'unfit' && errorOf(last) >= kept.error ? kept.ending : last;
}

/** Returns the fallback before a further take: the better of the fallback so far and the last take's ending. */
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
