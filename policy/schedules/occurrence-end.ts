import type { OccurrenceEnd, RowsLeftOut } from '../../contract/activities.ts';
import { currentExit, type ExitName } from '../../contract/exit-codes.ts';

/** How the workflow of a schedule's occurrence waits for its batch, and reports the end. */

/**
 * Exits of a batch that gave up by itself or has a mismatch: its occurrence counts as failed, which pauses a schedule
 * with `pauseOnFailure`. Failed, unknown or unfit rows alone do not make an occurrence fail.
 */
const FAILED: readonly ExitName[] = ['halted', 'skipped', 'api', 'mismatch', 'internal'];

/** How an occurrence is reported once its batch has ended. `reason`: why it counts as failed, as a sentence. */
export type OccurrenceVerdict =
  | { readonly type: 'ended'; readonly exit: ExitName }
  | { readonly type: 'failed'; readonly exit: ExitName; readonly reason: string };

/** How a batch ended, with the facts for its reason. */
type BatchEnding = Omit<Extract<OccurrenceEnd, { readonly type: 'ended' }>, 'type'>;

/**
 * Decides whether an occurrence ended normally, or failed because its batch gave up or its files could not be written
 * (`problem` says why).
 */
export function occurrenceVerdict(batch: string, { exit: recorded, problem, leftOut }: BatchEnding): OccurrenceVerdict {
  // The workflow history of an earlier version contains that version's name of the exit.
  const exit = currentExit(recorded);
  if (problem !== undefined) return { type: 'failed', exit, reason: problem };
  return FAILED.includes(exit)
    ? { type: 'failed', exit, reason: `Batch "${batch}" ${whyStopped(exit, leftOut)}.` }
    : { type: 'ended', exit };
}

function whyStopped(exit: ExitName, leftOut: RowsLeftOut | undefined): string {
  switch (exit) {
    case 'skipped':
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

/**
 * First and longest pause between checks of a batch whose workflow reports its own end, in case the report is lost, ms.
 */
const PAUSES_WITH_REPORT_MS = [15_000, 300_000] as const;
/** First and longest pause between checks without such a report, ms. */
const PAUSES_MS = [1_000, 15_000] as const;

/**
 * Returns the pause before the next check whether a batch has ended, ms: longer each time, because a batch may run for
 * hours and be paused for days. `checks`: consecutive checks without change. `isReported`: whether the batch's workflow
 * is a child of the firing, so its end is reported at once.
 */
export function endCheckPauseMs(checks: number, isReported: boolean): number {
  const [first, longest] = isReported ? PAUSES_WITH_REPORT_MS : PAUSES_MS;
  return Math.min(longest, first * 2 ** Math.min(10, checks));
}
