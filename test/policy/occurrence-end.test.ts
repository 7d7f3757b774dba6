import { describe, expect, it } from '@jest/globals';
import { isFailedOccurrence } from '../../policy/occurrence-end.ts';

describe('an occurrence', () => {
  it.each(['complete', 'failures', 'unknown', 'quality'] as const)('whose batch ended as %s has not failed', (exit) => {
    expect(isFailedOccurrence(exit)).toBe(false);
  });

  it.each(['halted', 'outOfCredits', 'api', 'mismatch'] as const)('whose batch ended as %s has failed', (exit) => {
    expect(isFailedOccurrence(exit)).toBe(true);
  });
});
