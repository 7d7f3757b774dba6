import type { HaltPolicy } from '../../contract/halt.ts';
import type { FailureClass } from '../../contract/failures.ts';

/**
 * Whether the first paid rows of a batch all fail with one class of failure. Such a batch would keep paying for results
 * that nobody gets: a wrong voice, a blocked host of results, a service that produces silence. The class decides, not
 * the words: one cause is worded in many ways (403 and 410 for a dead link, a code here and none there, the name of the
 * row's own file).
 */

/** This many identical failures are no accident. */
export const FIRST_ALIKE = 20;

/** The state of the watch on the first rows since the batch was created, reopened or resumed. */
export interface AlikeWatch {
  /** Only rows paid for since this time count, ms; null for all. */
  readonly since: number | null;
  /** The failure class of all rows so far; null before the first. */
  readonly reason: FailureClass | null;
  /** Their numbers; never more than {@link FIRST_ALIKE}. */
  readonly rows: readonly number[];
  /** `over`: some row had a result or another failure class, so the watch has ended. `due`: the batch must pause. */
  readonly is: 'on' | 'over' | 'due';
}

/** A watch that has seen no row yet. */
export function newAlikeWatch(since: number | null): AlikeWatch {
  return { since, reason: null, rows: [], is: 'on' };
}

/** The watch after another paid row failed; the same row may be reported twice. */
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
 * Tried rows; rows that were never sent say nothing about how the batch goes. Rows whose jobs run count as tried: the
 * API refuses at once but works for minutes, so among ended rows alone the refused ones would be overrepresented. Rows
 * whose answer was lost because a process of ours ended count as neither: they might have succeeded or failed like the
 * others, so they change no share. As `tried` they would hide failures behind kills.
 */
export interface Ended {
  /** Failed, unfit or unknown. */
  readonly failed: number;
  /** All tried rows, including failed and running ones. */
  readonly tried: number;
}

/** Percentages of a handful of rows mean nothing: they count from this many rows on. */
const FEWEST_FOR_PERCENT = 20;

/** True if the batch should stop because of this many failures. */
export function shouldHalt(policy: HaltPolicy, { failed, tried }: Ended): boolean {
  if (policy.when === 'never' || policy.when === 'alike') return false;
  if (policy.unit === 'rows') return failed >= policy.fail;
  return tried >= FEWEST_FOR_PERCENT && failed * 100 >= policy.fail * tried;
}
