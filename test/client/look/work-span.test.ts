import { describe, expect, it } from '@jest/globals';
import { workSpan } from '../../../client/look/work-span.ts';

describe('how long a batch took', () => {
  it('counts from its first request', () => {
    expect(workSpan({ startedAt: null, reopenedAt: null })).toBeUndefined();
    expect(workSpan({ startedAt: 5, reopenedAt: null })).toEqual({ from: 5, first: 5, isReopened: false });
  });

  it('does not count the days between its end and a redrive', () => {
    expect(workSpan({ startedAt: 5, reopenedAt: 90 })).toEqual({ from: 90, first: 5, isReopened: true });
    // Opened again before anything was sent.
    expect(workSpan({ startedAt: 95, reopenedAt: 90 })).toEqual({ from: 95, first: 95, isReopened: false });
  });
});
