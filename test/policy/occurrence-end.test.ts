import { describe, expect, it } from '@jest/globals';
import { endingOf } from '../../policy/occurrence-end.ts';

describe('an occurrence', () => {
  it.each(['complete', 'failures', 'unknown', 'quality'] as const)('whose batch ended as %s has not failed', (exit) => {
    expect(endingOf('b', { exit })).toEqual({ type: 'ended', exit });
  });

  it.each(['halted', 'outOfCredits', 'api', 'mismatch'] as const)('whose batch ended as %s has failed', (exit) => {
    expect(endingOf('b', { exit })).toEqual({ type: 'failed', exit, reason: `Batch "b" ended as "${exit}".` });
  });

  it('whose files could not be written has failed, however its batch ended', () => {
    const reason = 'The disk is full.';
    expect(endingOf('b', { exit: 'complete', problem: reason })).toEqual({ type: 'failed', exit: 'complete', reason });
    expect(endingOf('b', { exit: 'halted', problem: reason })).toEqual({ type: 'failed', exit: 'halted', reason });
  });
});
