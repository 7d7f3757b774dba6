import { describe, expect, it } from '@jest/globals';
import { FAILURES, type FailureClass } from '../../../contract/failures.ts';
import { mayTryAgain, pausesBatch } from '../../../workflows/policy/retry.ts';

describe('mayTryAgain', () => {
  it.each([
    ['NotSent', 149, 150],
    ['RateLimited', 99, 100],
    ['ServiceDown', 7, 8],
  ] as const)('%s: yes after %d refusals, no after %d', (failure, yes, no) => {
    expect(mayTryAgain(failure, yes)).toBe(true);
    expect(mayTryAgain(failure, no)).toBe(false);
  });

  it('has no cap where a person must heal it, for the batch pauses', () => {
    const classes = Object.keys(FAILURES) as FailureClass[];
    expect(classes.filter(pausesBatch)).toEqual(['OutOfCredits', 'BadToken']);
    expect(mayTryAgain('BadToken', 1_000)).toBe(true);
    expect(mayTryAgain('OutOfCredits', 1_000)).toBe(true);
  });

  it('has no cap for attempts that were revoked: they have no class', () => {
    expect(mayTryAgain(null, 1_000)).toBe(true);
  });
});
