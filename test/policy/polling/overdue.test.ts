import { describe, expect, it } from '@jest/globals';
import { FEW_FAILED_POLLS, mostFailedPolls } from '../../../policy/polling/poll-schedule.ts';

describe('mostFailedLooks', () => {
  it('is as many polls as a job has had until its deadline, and never only a few', () => {
    expect(mostFailedPolls({ firstLookMs: 3_000, pollGapMs: 3_000, jobDeadlineMs: 7_200_000 })).toBe(2_400);
    expect(mostFailedPolls({ firstLookMs: 3_000, pollGapMs: 3_000, jobDeadlineMs: 10_000 })).toBe(FEW_FAILED_POLLS);
  });
});
