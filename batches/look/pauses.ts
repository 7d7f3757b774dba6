import type { BatchRecord } from '../../ledger/record-types.ts';

/**
 * True for a batch that paused because its first rows all failed (`--halt alike`). Unlike a pause for missing credits
 * or a bad token, only a person can resume it: a schedule that repeats the command would pay for more failures.
 */
export function isPausedByFailures({ control, pauseReason }: BatchRecord): boolean {
  return control === 'paused' && pauseReason !== null && !['OutOfCredits', 'BadToken'].includes(pauseReason.class);
}

/**
 * True if the batch paused because the API refused a token. A process cannot change its token: with a refused one it
 * can neither send nor read, and would pause the batch again. So it exits and leaves the batch to a process with a
 * valid token.
 */
export function isTokenRefused({ control, pauseReason }: BatchRecord): boolean {
  return control === 'paused' && pauseReason?.class === 'BadToken';
}
