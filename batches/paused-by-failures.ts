import type { BatchRecord } from '../ledger/record-types.ts';

/**
 * True for a batch that paused because its first rows all failed (`--halt alike`). Unlike a pause for want of credits or a token, it
 * goes on only by a person's word: a schedule that runs the same command again would pay for the next rows alike.
 */
export function isPausedByFailures({ control, pauseReason }: Pick<BatchRecord, 'control' | 'pauseReason'>): boolean {
  return control === 'paused' && pauseReason !== null && !['OutOfCredits', 'BadToken'].includes(pauseReason.class);
}
