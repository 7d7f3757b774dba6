import { describe, expect, it } from '@jest/globals';
import type { Failure } from '../../../contract/failures.ts';
import { CONTROLS, UNKNOWN_POLICIES } from '../../../contract/outcomes.ts';
import { afterJobFailed, afterUnknown } from '../../../policy/rows/new-take.ts';

const LOST: Failure = { class: 'OutcomeUnknown', message: 'reset (it may have been charged)' };
const FAILED: Failure = { class: 'JobFailed', message: 'hoarse' };
const NO_JOB = { jobId: null };

describe('afterUnknown', () => {
  it.each(CONTROLS)('holds the row until a person decides, in a batch that is %s', (control) => {
    expect(afterUnknown('hold', control, 'speech', NO_JOB, LOST)).toEqual({ outcome: 'unknown', failure: LOST });
  });

  it('fails the row where the user wants it', () => {
    expect(afterUnknown('fail', 'stopping', 'speech', NO_JOB, LOST)).toEqual({ outcome: 'failed', failure: LOST });
  });

  it.each(['running', 'paused'] as const)('sends again as a new take, at most twice, in a %s batch', (control) => {
    expect(afterUnknown('resubmit', control, 'lip-sync', NO_JOB, LOST)).toEqual({
      retake: 'lip-sync',
      reason: 'on-unknown',
      most: 2,
      otherwise: { outcome: 'unknown', failure: LOST },
    });
  });

  it('makes no new take in a batch that is being stopped', () => {
    expect(afterUnknown('resubmit', 'stopping', 'speech', NO_JOB, LOST)).toMatchObject({ outcome: 'unknown' });
  });

  it.each(UNKNOWN_POLICIES)('never gives up a job that has an id: %s', (policy) => {
    expect(afterUnknown(policy, 'running', 'speech', { jobId: 'j1' }, LOST)).toMatchObject({ outcome: 'unknown' });
  });
});

describe('afterJobFailed', () => {
  it('fails the row, unless the user pays for new takes in advance', () => {
    expect(afterJobFailed(0, 'running', 'speech', FAILED)).toEqual({ outcome: 'failed', failure: FAILED });
    expect(afterJobFailed(3, 'stopping', 'speech', FAILED)).toEqual({ outcome: 'failed', failure: FAILED });
  });

  it('makes a new take of that step, as often as the user said', () => {
    expect(afterJobFailed(3, 'running', 'lip-sync', FAILED)).toEqual({
      retake: 'lip-sync',
      reason: 'retake',
      most: 3,
      otherwise: { outcome: 'failed', failure: FAILED },
    });
  });
});
