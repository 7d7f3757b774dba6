import { describe, expect, it } from '@jest/globals';
import type { AttemptState } from '../../../contract/outcomes.ts';
import type { Step } from '../../../contract/row-kinds.ts';
import {
  isFetchedFree,
  planRedrive,
  type RedriveAttempt,
  type RedriveRow,
  type RedriveWish,
} from '../../../policy/redrive/redrive.ts';

/** Which job of a row that is wanted again counts: the one of its take, with an id, that was not done with. */

const TTS: RedriveRow = {
  spec: { kind: 'tts' },
  outcome: 'overdue',
  failure: { class: 'Overdue' },
  take: 1,
  redoFrom: null,
};
const DUB: RedriveRow = { ...TTS, spec: { kind: 'dub' } };
const GONE = { outcome: 'failed', failure: { class: 'ResultGone' } } as const;
const WISH: RedriveWish = { step: null, resubmit: false, replace: false, accept: false, edited: null };
const AGAIN: RedriveWish = { ...WISH, resubmit: true };

function attempt(step: Step, state: AttemptState, more: Partial<RedriveAttempt> = {}): RedriveAttempt {
  const jobId = state === 'accepted' ? `job-${step}` : null;
  return { step, take: 1, attempt: 1, state, finishedAt: null, failure: null, jobId, ...more };
}

describe('a job is waited for', () => {
  it('only where it has an id', () => {
    const nameless = [attempt('speech', 'accepted', { jobId: null })];
    expect(planRedrive(TTS, nameless, WISH)).toEqual({ type: 'refuse', why: 'running', step: 'speech' });
  });

  it('only if it is of the take that the row is at', () => {
    const row: RedriveRow = { ...TTS, take: 2 };
    const before = attempt('speech', 'accepted');
    const left = { type: 'refuse', why: 'running', step: 'speech', leftTake: 1 };
    expect(planRedrive(row, [before], WISH)).toEqual(left);
    expect(planRedrive(row, [attempt('speech', 'accepted', { take: 2 }), before], WISH)).toMatchObject({
      type: 'wait',
    });
    const ended = { ...before, finishedAt: 1 };
    expect(planRedrive(row, [ended], WISH)).toEqual({ type: 'pay', fromStep: 'speech', reason: 'redrive' });
  });

  it('only of a row that ended overdue, or failed for a result that is gone', () => {
    const attempts = [attempt('speech', 'accepted', { finishedAt: 1, failure: { class: 'ResultGone' } })];
    expect(planRedrive({ ...TTS, ...GONE }, attempts, WISH)).toEqual({ type: 'wait', step: 'speech' });
    expect(planRedrive({ ...TTS, ...GONE, outcome: 'unknown' }, attempts, WISH)).toMatchObject({ type: 'pay' });
    expect(planRedrive({ ...TTS, outcome: 'failed', failure: null }, attempts, WISH)).toMatchObject({ type: 'pay' });
    expect(planRedrive({ ...TTS, outcome: 'failed' }, attempts, WISH)).toMatchObject({ type: 'pay' });
  });
});

describe('a result that is gone costs nothing again', () => {
  const gone = (step: Step, state: AttemptState) =>
    attempt(step, state, { finishedAt: 1, failure: { class: 'ResultGone' } });

  it('where a job can be read for it, and no further step is to be paid', () => {
    expect(isFetchedFree({ ...TTS, ...GONE }, [gone('speech', 'accepted')])).toBe(true);
    expect(isFetchedFree({ ...DUB, ...GONE }, [gone('speech', 'accepted')])).toBe(false);
  });

  const file = { key: 'k', sha256: 's' };
  it.each([
    ['cached', null, false],
    ['cached', { jobId: null }, false],
    ['cached', { jobId: 'job-of-another-row' }, true],
    ['done', null, false],
    ['done', { jobId: 'job-of-a-damaged-result' }, false],
  ] as const)('if it was %s, with the source %j: %j', (state, source, isFree) => {
    expect(isFetchedFree({ ...TTS, ...GONE }, [{ ...gone('speech', state), file, source }])).toBe(isFree);
  });
});

describe('a step is finished well', () => {
  const failed: RedriveRow = { ...DUB, outcome: 'failed', failure: { class: 'JobFailed' } };

  it.each([
    ['its answer was the result', attempt('speech', 'done', { finishedAt: 1 }), 'lip-sync'],
    ['its job was done', attempt('speech', 'accepted', { finishedAt: 1 }), 'lip-sync'],
    ['its job runs, with a say', attempt('speech', 'accepted'), 'speech'],
    ['its job failed', attempt('speech', 'accepted', { finishedAt: 1, failure: { class: 'JobFailed' } }), 'speech'],
    ['it was refused', attempt('speech', 'rejected'), 'speech'],
    ['it was done in a take before', attempt('speech', 'done', { take: 0, finishedAt: 1 }), 'speech'],
  ] as const)('or not: %s', (_, made, fromStep) => {
    expect(planRedrive(failed, [made], AGAIN)).toMatchObject({ type: 'pay', fromStep });
  });

  it('and yet done anew where all is finished and the row is wanted again', () => {
    const done = [attempt('speech', 'accepted', { finishedAt: 1 }), attempt('lip-sync', 'accepted', { finishedAt: 1 })];
    expect(planRedrive(failed, done, WISH)).toEqual({ type: 'pay', fromStep: 'speech', reason: 'redrive' });
    expect(planRedrive({ ...failed, ...GONE }, done, AGAIN)).toMatchObject({ fromStep: 'speech' });
    expect(planRedrive(failed, done, { ...WISH, step: 'lip-sync' })).toMatchObject({ fromStep: 'lip-sync' });
  });
});

describe('a result of the step before that is gone', () => {
  const speech = attempt('speech', 'accepted', { finishedAt: 1 });
  const row: RedriveRow = { ...DUB, ...GONE };

  it('is none where the next was sent, in this take', () => {
    const sent = attempt('lip-sync', 'rejected');
    expect(planRedrive(row, [speech, sent], AGAIN)).toMatchObject({ fromStep: 'lip-sync' });
    const later: RedriveRow = { ...row, take: 2, redoFrom: 'lip-sync' };
    expect(planRedrive(later, [speech, sent], AGAIN)).toMatchObject({ fromStep: 'speech' });
    expect(planRedrive(later, [speech, { ...sent, take: 2 }], AGAIN)).toMatchObject({ fromStep: 'lip-sync' });
  });
});

describe('a doubt', () => {
  it('is said with what is refused, and the step', () => {
    const failed: RedriveRow = { ...DUB, outcome: 'failed', failure: null };
    const speech = attempt('speech', 'accepted', { finishedAt: 1 });
    expect(planRedrive(failed, [speech, attempt('lip-sync', 'sending')], AGAIN)).toEqual({
      type: 'refuse',
      why: 'on-the-wire',
      step: 'lip-sync',
    });
    expect(planRedrive(failed, [speech, attempt('lip-sync', 'accepted')], WISH)).toEqual({
      type: 'refuse',
      why: 'running',
      step: 'lip-sync',
    });
  });
});
