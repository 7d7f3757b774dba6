import type { FiringRecords } from './legal-firing.ts';

/** Occurrences that were scheduled for longer ago are not asked whether a firing had to wait for them, ms. */
const LONGEST_RUN_MS = 31 * 86_400_000;

/**
 * Occurrences from this time on decide whether a schedule may fire for `at`; both ms since 1970. What is backfilled may have waited for any of its
 * range, however rare its times are.
 */
export function firingLookBack(
  at: number,
  { spec, settledAt, allowed }: Pick<FiringRecords, 'spec' | 'settledAt' | 'allowed'>,
): number {
  const backfills = allowed.flatMap((one) =>
    one.kind === 'backfill' && !one.isVoid && at <= (one.until ?? Infinity) ? [one.from - one.spec.jitterMs] : [],
  );
  return Math.min(at - LONGEST_RUN_MS, spec.runs === null ? Infinity : settledAt, ...backfills);
}
