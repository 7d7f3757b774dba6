import type { HaltPolicy } from '../contract/halt.ts';

/**
 * Rows that were tried, by what is known of them; those that were never sent say nothing about how the batch goes. Rows whose jobs run count as
 * tried: the API refuses at once and does its work in minutes, so among those that have ended the refused ones would be far too many.
 */
export interface Ended {
  /** Failed, unfit or unknown. */
  readonly failed: number;
  /** All of them, failed and running ones included. */
  readonly tried: number;
}

/** Percentages of a handful of rows say nothing: they count from this many rows on. */
const FEWEST_FOR_PERCENT = 20;

/** True if so many rows have failed that the batch should give up. */
export function shouldHalt(policy: HaltPolicy, { failed, tried }: Ended): boolean {
  if (policy.when === 'never' || policy.when === 'alike') return false;
  if (policy.unit === 'rows') return failed >= policy.fail;
  return tried >= FEWEST_FOR_PERCENT && failed * 100 >= policy.fail * tried;
}
