import type { ExitName } from '../contract/exit-codes.ts';

/** Ends at which a batch gave up by itself, or does not add up. */
const FAILED: readonly ExitName[] = ['halted', 'outOfCredits', 'api', 'mismatch', 'internal'];

/**
 * True if an occurrence whose batch ended so counts as failed, which pauses a schedule that is to pause on failure. Single rows that failed, are
 * unknown or unfit do not: they are results, and the next occurrence has the next manifest.
 */
function isFailedOccurrence(exit: ExitName): boolean {
  return FAILED.includes(exit);
}

/** How an occurrence is told of once its batch has ended. `reason`: why it counts as failed, as a sentence. */
export type OccurrenceVerdict =
  | { readonly type: 'ended'; readonly exit: ExitName }
  | { readonly type: 'failed'; readonly exit: ExitName; readonly reason: string };

/** Tells a batch that ended in order from one that gave up, and from one whose files could not be written: `problem` says why. */
export function endingOf(
  batch: string,
  { exit, problem }: { readonly exit: ExitName; readonly problem?: string },
): OccurrenceVerdict {
  if (problem !== undefined) return { type: 'failed', exit, reason: problem };
  return isFailedOccurrence(exit)
    ? { type: 'failed', exit, reason: `Batch "${batch}" ended as "${exit}".` }
    : { type: 'ended', exit };
}
