import type { HaltPolicy } from '../../contract/halt.ts';

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
