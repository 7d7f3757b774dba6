import type { OccurrenceEnd, RowsLeftOut } from '../../contract/activities.ts';
import type { ExitName } from '../../contract/exit-codes.ts';

/**
 * Ends at which a batch gave up by itself, or does not add up: its occurrence has failed, which pauses a schedule that is to pause on failure. Single
 * rows that failed, are unknown or unfit do not: they are results, and the next occurrence has the next manifest.
 */
const FAILED: readonly ExitName[] = ['halted', 'outOfCredits', 'api', 'mismatch', 'internal'];

/** How an occurrence is told of once its batch has ended. `reason`: why it counts as failed, as a sentence. */
export type OccurrenceVerdict =
  | { readonly type: 'ended'; readonly exit: ExitName }
  | { readonly type: 'failed'; readonly exit: ExitName; readonly reason: string };

/** How a batch ended, and what its reason is made of. */
type BatchEnding = Omit<Extract<OccurrenceEnd, { readonly type: 'ended' }>, 'type'>;

/** Tells a batch that ended in order from one that gave up, and from one whose files could not be written: `problem` says why. */
export function endingOf(batch: string, { exit, problem, leftOut }: BatchEnding): OccurrenceVerdict {
  if (problem !== undefined) return { type: 'failed', exit, reason: problem };
  return FAILED.includes(exit)
    ? { type: 'failed', exit, reason: `Batch "${batch}" ${whyStopped(exit, leftOut)}.` }
    : { type: 'ended', exit };
}

function whyStopped(exit: ExitName, leftOut: RowsLeftOut | undefined): string {
  switch (exit) {
    case 'outOfCredits':
      return leftOut === undefined ? 'stopped at its budget or ran out of credits' : whyLeftOut(leftOut);
    case 'halted':
      return 'halted, because too many of its rows failed';
    case 'api':
      return 'stopped, because the API refused its token or did not answer';
    case 'mismatch':
      return 'does not add up: a count, hash or sum is wrong';
    default:
      return 'ended with an internal error';
  }
}

function whyLeftOut({ rows, budget, isCachedOnly }: RowsLeftOut): string {
  const unsent = `${String(rows)} ${rows === 1 ? 'row was' : 'rows were'} not sent`;
  if (isCachedOnly) return `pays for nothing that is not in the cache: ${unsent}`;
  return `${budget === null ? 'ran out of credits' : `stopped at its budget of ${String(budget)} credits`}: ${unsent}`;
}

/** A batch whose workflow tells of its end is looked at for the case that the message does not come: first after so long, at most so long, ms. */
const GUARDS_MS = [15_000, 300_000] as const;
/** One that nobody tells of, ms. */
const LOOKS_MS = [1_000, 15_000] as const;

/**
 * How long a firing waits before it looks again whether its batch has ended, ms: longer each time, because a batch may
 * run for hours and be paused for days. `looks`: looks in a row without news. `isTold`: the batch's workflow is a child
 * of the firing, so its end is told at once.
 */
export function lookPauseMs(looks: number, isTold: boolean): number {
  const [first, longest] = isTold ? GUARDS_MS : LOOKS_MS;
  return Math.min(longest, first * 2 ** Math.min(10, looks));
}
