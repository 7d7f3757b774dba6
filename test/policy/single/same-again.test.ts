import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { ATTEMPT_STATES, hasResult, OUTCOMES, type Outcome } from '../../../contract/outcomes.ts';
import { decideAgain, decideCleaned, type JobAttempt, type SameAgain } from '../../../policy/single/same-again.ts';
import type { RedriveRow } from '../../../policy/redrive/redrive.ts';

const NO_WORD = { again: false, resubmit: false };

function row(outcome: Outcome | null, failure: RedriveRow['failure'] = null): RedriveRow {
  return { spec: { kind: 'tts' }, outcome, failure, take: 1, redoFrom: null };
}

function attempt(state: JobAttempt['state'], more: Partial<JobAttempt> = {}): JobAttempt {
  const jobId = state === 'accepted' ? 'job' : null;
  return { step: 'speech', take: 1, attempt: 1, state, finishedAt: null, failure: null, jobId, charged: null, ...more };
}

const done = attempt('accepted', { finishedAt: 1, charged: 7 });
const jobFailed = attempt('accepted', { finishedAt: 1, charged: 7, failure: { class: 'JobFailed' } });

describe('the same command again', () => {
  it.each<[string, RedriveRow, readonly JobAttempt[], SameAgain]>([
    ['goes on with what has not ended', row(null), [attempt('accepted')], { type: 'go-on' }],
    ['hands out what succeeded', row('succeeded'), [done], { type: 'give' }],
    ['hands out what was cached', row('cached'), [attempt('cached')], { type: 'give' }],
    ['sends again what was refused', row('failed'), [attempt('rejected')], { type: 'redrive' }],
    ['sends again what the budget did not allow', row('skipped'), [], { type: 'redrive' }],
    ['sends again what was stopped before it was sent', row('cancelled'), [], { type: 'redrive' }],
    ['waits again for a job that outlived its time', row('overdue'), [attempt('accepted')], { type: 'redrive' }],
    [
      'fetches again, free, what could not be fetched',
      row('failed', { class: 'ResultGone' }),
      [done],
      { type: 'redrive' },
    ],
    ['holds a failure that was charged', row('failed'), [jobFailed], { type: 'hold', why: 'failed' }],
    [
      'sends again a failed job that was not charged',
      row('failed'),
      [{ ...jobFailed, charged: 0 }],
      { type: 'redrive' },
    ],
    [
      'holds a result that failed a check',
      row('unfit'),
      [{ ...done, failure: { class: 'JobFailed' } }],
      { type: 'hold', why: 'unfit' },
    ],
    [
      'holds a text in parts, of which one did not pass a check',
      { ...row('failed', { class: 'Unfit' }), parts: 2 },
      [done, { ...done, failure: { class: 'Unfit' } }],
      { type: 'hold', why: 'unfit' },
    ],
    [
      'holds a text in parts, of which one failed after a charge',
      { ...row('failed', { class: 'JobFailed' }), parts: 2 },
      [done, jobFailed],
      { type: 'hold', why: 'failed' },
    ],
    [
      'sends a part again that was refused',
      { ...row('failed', { class: 'BadRequest' }), parts: 2 },
      [done, attempt('rejected', { failure: { class: 'BadRequest' } })],
      { type: 'redrive' },
    ],
    [
      'joins parts again that are all there',
      { ...row('failed', { class: 'NotJoined' }), parts: 2 },
      [done, done],
      { type: 'redrive' },
    ],
    ['holds what may have been charged', row('unknown'), [attempt('unknown')], { type: 'hold', why: 'unknown' }],
  ])('%s', (_, ended, attempts, expected) => {
    expect(decideAgain(ended, attempts, NO_WORD, false)).toEqual(expected);
  });

  it('closes the batch of a row that ended a moment before a kill', () => {
    expect(decideAgain(row('succeeded'), [done], NO_WORD, true)).toEqual({ type: 'go-on' });
  });

  it('pays again with a further word', () => {
    const again = { again: true, resubmit: false };
    for (const [outcome, attempts] of [
      ['succeeded', [done]],
      ['failed', [jobFailed]],
      ['unfit', [{ ...done, failure: { class: 'JobFailed' } }]],
    ] as const)
      expect(decideAgain(row(outcome), attempts, again, false)).toEqual({ type: 'redrive' });
    const lost = [row('unknown'), [attempt('unknown')]] as const;
    expect(decideAgain(...lost, { again: false, resubmit: true }, false)).toEqual({ type: 'redrive' });
    // A new take is no word for a second charge of one result.
    expect(decideAgain(...lost, again, false)).toEqual({ type: 'hold', why: 'unknown' });
  });
});

describe('the same command again, after what was asked for has been removed', () => {
  const again = { again: true, resubmit: false };
  it.each<[string, RedriveRow, readonly JobAttempt[], typeof again, SameAgain]>([
    ['hands out what succeeded', row('succeeded'), [done], NO_WORD, { type: 'give' }],
    ['pays for a new take with --again', row('succeeded'), [done], again, { type: 'redrive' }],
    ['sends again what was refused', row('failed'), [attempt('rejected')], NO_WORD, { type: 'redrive' }],
    ['holds a failure that was charged', row('failed'), [jobFailed], NO_WORD, { type: 'hold', why: 'failed' }],
    [
      'holds a paid job that it cannot wait for any more',
      row('failed', { class: 'ResultGone' }),
      [done],
      NO_WORD,
      { type: 'hold', why: 'failed' },
    ],
  ])('%s', (_, ended, attempts, wish, expected) => {
    expect(decideCleaned(ended, attempts, wish)).toEqual(expected);
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
