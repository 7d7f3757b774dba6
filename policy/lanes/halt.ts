import type { HaltPolicy } from '../../contract/halt.ts';
import type { FailureClass } from '../../contract/failures.ts';

/**
 * When failures stop or pause a batch (`--halt`).
 *
 * By default, a batch pauses if its first paid rows all fail with the same failure class, because it would go on paying
 * for results that nobody gets: a wrong voice, a blocked result host, a service that produces silence. Messages are not
 * compared, because one cause is worded in many ways (403 or 410 for a dead link, a file name in the text).
 */

/** Number of first rows that must all fail alike. */
export const FIRST_ALIKE = 20;

/** The state of the watch on the first rows since the batch was created, reopened or resumed. */
export interface AlikeWatch {
  /** Only rows paid for since this time count, ms since 1970 (callers pass no others); null for all. */
  readonly since: number | null;
  /** The failure class of all rows so far; null before the first. */
  readonly reason: FailureClass | null;
  /** Their numbers; never more than {@link FIRST_ALIKE}. */
  readonly rows: readonly number[];
  /** `over`: some row had a result or another failure class, so the watch has ended. `due`: the batch must pause. */
  readonly is: 'on' | 'over' | 'due';
}

/** Returns a watch that has seen no row yet. */
export function newAlikeWatch(since: number | null): AlikeWatch {
  return { since, reason: null, rows: [], is: 'on' };
}

/**
 * Returns the watch after another paid row ended; the same row may be reported twice. `hasResult`: it ended with a
 * result, which ends the watch whatever `failure.reason` is.
 */
export function afterFailure(
  watch: AlikeWatch,
  failure: { readonly row: number; readonly reason: FailureClass },
  hasResult: boolean,
): AlikeWatch {
  if (watch.is !== 'on') return watch;
  if (hasResult || (watch.reason !== null && watch.reason !== failure.reason)) return { ...watch, is: 'over' };
  if (watch.rows.includes(failure.row)) return watch;
  const rows = [...watch.rows, failure.row];
  return { ...watch, reason: failure.reason, rows, is: rows.length >= FIRST_ALIKE ? 'due' : 'on' };
}

/**
 * Counts for `--halt soon|now,fail=…`, which stops a batch after so many failures: `soon` waits for running jobs, `now`
 * does not. Rows that were never sent do not count. Rows whose jobs run count as tried: the
 * API refuses at once but works for minutes, so refused rows would be overrepresented among ended rows alone. Rows
 * whose answer was lost because a process of ours ended count as neither, because counting them as tried would hide
 * failures.
 */
export interface Ended {
  /** Failed, unfit or unknown. */
  readonly failed: number;
  /** All tried rows, including failed and running ones. */
  readonly tried: number;
}

/** Percentages apply from this many tried rows on. */
const MIN_FOR_PERCENT = 20;

/** Whether the batch should stop because of its failures. */
export function shouldHalt(policy: HaltPolicy, { failed, tried }: Ended): boolean {
  if (policy.when === 'never' || policy.when === 'alike') return false;
  if (policy.unit === 'rows') return failed >= policy.fail;
  return tried >= MIN_FOR_PERCENT && failed * 100 >= policy.fail * tried;
}
