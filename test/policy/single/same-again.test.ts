import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { defined } from '../../../contract/defined.ts';
import type { FailureClass } from '../../../contract/failures.ts';
import { ATTEMPT_STATES, hasResult, OUTCOMES, type Outcome } from '../../../contract/outcomes.ts';
import { decideAgain, decideCleaned, type JobAttempt, type SameAgain } from '../../../policy/single/same-again.ts';
import type { RedriveRow } from '../../../policy/redrive/redrive.ts';

const NO_WORD = { again: false, resubmit: false };
const AGAIN = { again: true, resubmit: false };
const RESUBMIT = { again: false, resubmit: true };

function row(outcome: Outcome | null, failure: FailureClass | null = null, parts?: number): RedriveRow {
  const failed = failure === null ? null : { class: failure };
  return { spec: { kind: 'tts' }, outcome, failure: failed, take: 1, redoFrom: null, ...defined({ parts }) };
}

function attempt(state: JobAttempt['state'], more: Partial<JobAttempt> = {}): JobAttempt {
  const jobId = state === 'accepted' ? 'job' : null;
  return { step: 'speech', take: 1, attempt: 1, state, finishedAt: null, failure: null, jobId, charged: null, ...more };
}

const done = attempt('accepted', { finishedAt: 1, charged: 7 });
const failed = (failure: FailureClass): JobAttempt => ({ ...done, failure: { class: failure } });
const free = { ...failed('JobFailed'), charged: 0 };
const refused = attempt('rejected', { failure: { class: 'BadRequest' } });
const lost = attempt('unknown');

/** A decision in a line: `hold unfit`. */
const words = (decided: SameAgain): string => ('why' in decided ? `${decided.type} ${decided.why}` : decided.type);

describe('the same command again', () => {
  it.each<[string, RedriveRow, readonly JobAttempt[], string, typeof NO_WORD?]>([
    ['goes on with what has not ended', row(null), [attempt('accepted')], 'go-on'],
    ['hands out what succeeded', row('succeeded'), [done], 'give'],
    ['hands out what was cached', row('cached'), [attempt('cached')], 'give'],
    ['sends again what was refused', row('failed'), [attempt('rejected')], 'redrive'],
    ['sends again what the budget did not allow', row('skipped'), [], 'redrive'],
    ['sends again what was stopped before it was sent', row('cancelled'), [], 'redrive'],
    ['waits again for a job that outlived its time', row('overdue'), [attempt('accepted')], 'redrive'],
    ['fetches again, free, what could not be fetched', row('failed', 'ResultGone'), [done], 'redrive'],
    ['holds a failure that was charged', row('failed'), [failed('JobFailed')], 'hold failed'],
    ['sends again a failed job that was not charged', row('failed'), [free], 'redrive'],
    ['holds a result that failed a check', row('unfit'), [failed('JobFailed')], 'hold unfit'],
    ['holds parts with an unfit one', row('failed', 'Unfit', 2), [done, failed('Unfit')], 'hold unfit'],
    ['holds parts with a charged failure', row('failed', 'JobFailed', 2), [done, failed('JobFailed')], 'hold failed'],
    ['sends a part again that was refused', row('failed', 'BadRequest', 2), [done, refused], 'redrive'],
    ['joins parts again that are all there', row('failed', 'NotJoined', 2), [done, done], 'redrive'],
    ['holds what may have been charged', row('unknown'), [lost], 'hold unknown'],
    ['pays again for what succeeded, with a word', row('succeeded'), [done], 'redrive', AGAIN],
    ['pays again for a failure, with a word', row('failed'), [failed('JobFailed')], 'redrive', AGAIN],
    ['pays again for what is unfit, with a word', row('unfit'), [failed('JobFailed')], 'redrive', AGAIN],
    ['pays again for a lost answer, with another', row('unknown'), [lost], 'redrive', RESUBMIT],
    ['takes a new take for no word for a second charge', row('unknown'), [lost], 'hold unknown', AGAIN],
  ])('%s', (_, ended, attempts, expected, word = NO_WORD) => {
    expect(words(decideAgain(ended, attempts, word, false))).toBe(expected);
  });

  it('closes the batch of a row that ended a moment before a kill', () => {
    expect(decideAgain(row('succeeded'), [done], NO_WORD, true)).toEqual({ type: 'go-on' });
  });

  it.each<[string, RedriveRow, readonly JobAttempt[], string, typeof NO_WORD?]>([
    ['hands out what succeeded', row('succeeded'), [done], 'give'],
    ['pays for a new take with --again', row('succeeded'), [done], 'redrive', AGAIN],
    ['sends again what was refused', row('failed'), [attempt('rejected')], 'redrive'],
    ['holds a failure that was charged', row('failed'), [failed('JobFailed')], 'hold failed'],
    ['holds a paid job that it cannot wait for', row('failed', 'ResultGone'), [done], 'hold failed'],
    ['holds it beside a free attempt', row('failed', 'ResultGone'), [attempt('rejected'), done], 'hold failed'],
  ])('%s, after what was asked for has been removed', (_, ended, attempts, expected, word = NO_WORD) => {
    expect(words(decideCleaned(ended, attempts, word))).toBe(expected);
  });
});

describe('whatever is on record', () => {
  const attempts = fc.array(
    fc.record({
      step: fc.constant('speech' as const),
      take: fc.constant(1),
      attempt: fc.integer({ min: 1, max: 4 }),
      state: fc.constantFrom(...ATTEMPT_STATES),
      finishedAt: fc.constantFrom(null, 1),
      failure: fc.constantFrom(null, { class: 'JobFailed' } as const),
      jobId: fc.constantFrom(null, 'job'),
      charged: fc.constantFrom(null, 0, 7),
    }),
    { maxLength: 4 },
  );

  it('pays for nothing that may have been charged without a word, and never replaces a result', () => {
    fc.assert(
      fc.property(fc.constantFrom(...OUTCOMES), attempts, fc.boolean(), (outcome, list, isOpen) => {
        const decided = decideAgain(row(outcome), list, NO_WORD, isOpen);
        if (decided.type !== 'redrive') return;
        const mayCost = list.some(
          ({ state, charged }) => ['sending', 'accepted', 'done', 'unknown'].includes(state) && charged !== 0,
        );
        if (decideCleaned(row(outcome), list, NO_WORD).type === 'redrive') expect(mayCost).toBe(false);
        // A paid job is only waited for again.
        if (mayCost) expect(outcome).toBe('overdue');
        expect(hasResult(outcome)).toBe(false);
      }),
    );
  });
});
