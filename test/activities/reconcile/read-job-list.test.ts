import { describe, expect, it } from '@jest/globals';
import type { JobListing } from '../../../activities/reconcile/shared-job-list.ts';
import { coversSince } from '../../../activities/reconcile/read-job-list.ts';

describe('coversSince', () => {
  const part = (...times: (number | undefined)[]): JobListing => ({
    jobs: times.map((time, index) => ({
      ...{ id: String(index), status: 'done', phase: 'completed' },
      ...(time === undefined ? {} : { createdAtMs: time }),
    })),
    begunAt: 100,
    isComplete: false,
  });

  it('is true of a whole list, whatever is in it', () => {
    for (const listing of [part(), part(20, undefined)])
      expect(coversSince(10, { ...listing, isComplete: true })).toBe(true);
  });

  it.each<[string, JobListing, boolean]>([
    ['newest first, past that time', part(20, 20, 9), true],
    ['newest first, up to that time', part(20, 10), false],
    ['oldest first', part(8, 9), false],
    ['in no order', part(20, 8, 15, 9), false],
    ['with a job of unknown time', part(20, undefined, 9), false],
    ['empty', part(), false],
  ])('of a part that is %s: tells whether all since then are in it', (_, listing, answer) => {
    expect(coversSince(10, listing)).toBe(answer);
  });
});
