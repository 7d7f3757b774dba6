import type { ExitName } from '../contract/exit-codes.ts';

/** Ends at which a batch gave up by itself, or does not add up. */
const FAILED: readonly ExitName[] = ['halted', 'outOfCredits', 'api', 'mismatch', 'internal'];

/**
 * True if an occurrence whose batch ended so counts as failed, which pauses a schedule that is to pause on failure. Single rows that failed, are
 * unknown or unfit do not: they are results, and the next occurrence has the next manifest.
 */
export function isFailedOccurrence(exit: ExitName): boolean {
  return FAILED.includes(exit);
}
