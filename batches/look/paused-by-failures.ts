import type { BatchRecord } from '../../ledger/record-types.ts';

/**
 * True for a batch that paused because its first rows all failed (`--halt alike`). Unlike a pause for missing credits
 * or a bad token, only a person can resume it: a schedule that repeats the command would pay for more failures.
 */
export function isPausedByFailures({ control, pauseReason }: Pick<BatchRecord, 'control' | 'pauseReason'>): boolean {
  return control === 'paused' && pauseReason !== null && !['OutOfCredits', 'BadToken'].includes(pauseReason.class);
}
