import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { ATTEMPT_STATES, OUTCOMES, type AttemptState } from '../../../contract/outcomes.ts';
import { KINDS, stepsIn, STEPS, type Step } from '../../../contract/row-kinds.ts';
import {
  paidSteps,
  paysOnlyCheck,
  planRedrive,
  type RedriveAttempt,
  type RedriveRow,
  type RedriveWish,
} from '../../../policy/redrive/redrive.ts';

const TTS: RedriveRow = {
  spec: { kind: 'tts' },
  outcome: 'failed',
  failure: { class: 'JobFailed' },
  take: 1,
  redoFrom: null,
};
const DUB: RedriveRow = { ...TTS, spec: { kind: 'dub' } };
const WISH: RedriveWish = { step: null, resubmit: false, replace: false, accept: false, edited: null };

function attempt(step: Step, state: AttemptState, more: Partial<RedriveAttempt> = {}): RedriveAttempt {
  const jobId = state === 'accepted' ? `job-${step}` : null;
  return { step, take: 1, attempt: 1, state, finishedAt: null, failure: null, jobId, ...more };
}

const finished = (step: Step, more: Partial<RedriveAttempt> = {}): RedriveAttempt =>
  attempt(step, 'accepted', { finishedAt: 1, ...more });
const jobFailed = (step: Step, take = 1): RedriveAttempt => finished(step, { take, failure: { class: 'JobFailed' } });

describe('a row without a result', () => {
  it('keeps the finished step of a chain', () => {
    const attempts = [finished('speech'), jobFailed('lip-sync')];
    expect(planRedrive(DUB, attempts, WISH)).toEqual({ type: 'pay', fromStep: 'lip-sync', reason: 'redrive' });
    expect(planRedrive({ ...DUB, take: 2, redoFrom: 'lip-sync' }, attempts, WISH)).toMatchObject({
      fromStep: 'lip-sync',
    });
  });

  it('pays for no more than the check of a result whose check was refused', () => {
    const row: RedriveRow = {
      ...TTS,
      spec: { kind: 'tts', verify: 0.25 },
      outcome: 'unfit',
      failure: { class: 'Unfit' },
    };
    const refused = attempt('verification', 'rejected', { failure: { class: 'BadRequest' } });
    const foundFault = attempt('verification', 'done', { finishedAt: 1, failure: { class: 'Unfit' } });
    expect(paysOnlyCheck(row, [finished('speech'), refused])).toBe(true);
    expect(paysOnlyCheck(row, [finished('speech'), foundFault])).toBe(false);
  });

  it('does a named step anew, finished or not, but never leaves out an unfinished one before it', () => {
    const wish = { ...WISH, step: 'lip-sync' } as const;
    expect(planRedrive(DUB, [jobFailed('speech')], wish)).toMatchObject({ fromStep: 'speech' });
    const all = [finished('speech'), finished('lip-sync')];
    expect(planRedrive({ ...DUB, outcome: 'succeeded' }, all, wish)).toMatchObject({ fromStep: 'lip-sync' });
    expect(planRedrive({ ...DUB, outcome: 'succeeded' }, all, { ...WISH, step: 'speech' })).toMatchObject({
      fromStep: 'speech',
    });
    expect(planRedrive(TTS, [], wish)).toEqual({ type: 'refuse', why: 'no-step', step: 'lip-sync' });
  });
});

describe('a row whose result did not pass a check', () => {
  const unfit = { class: 'Unfit' } as const;
  const file = { key: 'kept' };
  const UNFIT: RedriveRow = { ...TTS, outcome: 'unfit', failure: unfit, file };
  const accept = { ...WISH, accept: true };

  it('is paid for its later steps where it is that of a chain', () => {
    const row = { ...UNFIT, spec: DUB.spec };
    const speech = [finished('speech', { failure: unfit, file })];
    const plan = planRedrive(row, speech, accept);
    expect(plan).toEqual({ type: 'accept', step: 'speech' });
    expect(paidSteps({ kind: 'dub' }, plan)).toEqual(['lip-sync']);
    expect(planRedrive(row, speech, WISH)).toMatchObject({ type: 'pay', fromStep: 'speech' });
    const both = [finished('speech'), finished('lip-sync', { failure: unfit, file })];
    expect(planRedrive(row, both, accept)).toEqual({ type: 'accept', step: 'lip-sync' });
    expect(planRedrive(row, both, WISH)).toMatchObject({ type: 'pay', fromStep: 'lip-sync' });
  });

  it('is accepted of the take that made it, if the newest one sent nothing or brought something worse', () => {
    const kept = finished('speech', { take: 2, failure: unfit, file });
    const worse = finished('speech', { failure: unfit, file: { key: 'worse' } });
    for (const { spec } of [TTS, DUB]) {
      const row = { ...UNFIT, spec, take: 3 };
      expect(planRedrive(row, [worse, kept], accept)).toEqual({ type: 'accept', step: 'speech' });
      expect(planRedrive(row, [worse, kept, jobFailed('speech', 3)], accept)).toMatchObject({ step: 'speech' });
      expect(planRedrive(row, [worse], accept)).toEqual({ type: 'leave', why: 'no-unfit' });
    }
  });

  it('is accepted of a take whose check was to be made anew, and was not sent', () => {
    const row: RedriveRow = { ...TTS, spec: { kind: 'tts', verify: 0.25 }, outcome: 'skipped', take: 2 };
    const made = [finished('speech', { file }), attempt('verification', 'unknown')];
    expect(planRedrive({ ...row, redoFrom: 'verification' }, made, accept)).toEqual({ type: 'accept', step: 'speech' });
    expect(planRedrive(row, made, accept)).toEqual({ type: 'leave', why: 'no-unfit' });
  });

  it('is the only one that can be accepted', () => {
    const attempts = [finished('speech', { file })];
    const plans = OUTCOMES.map((outcome) =>
      planRedrive({ ...TTS, outcome, file }, attempts, { ...accept, replace: true }),
    );
    expect(
      Object.fromEntries(plans.map((plan, at) => [OUTCOMES[at], plan.type === 'leave' ? plan.why : plan.type])),
    ).toEqual({
      succeeded: 'has-result',
      cached: 'has-result',
      failed: 'no-unfit',
      unfit: 'accept',
      skipped: 'no-unfit',
      unknown: 'no-unfit',
      overdue: 'no-unfit',
      cancelled: 'no-unfit',
    });
    expect(planRedrive({ ...TTS, outcome: null }, attempts, accept)).toEqual({ type: 'leave', why: 'open' });
  });
});

describe('a row that may be paid already', () => {
  it('is paid again only with a say where the answer was lost, whatever its outcome', () => {
    for (const outcome of ['unknown', 'failed', 'cancelled'] as const) {
      const attempts = [attempt('speech', 'unknown')];
      expect(planRedrive({ ...TTS, outcome }, attempts, WISH)).toEqual({
        type: 'refuse',
        why: 'unknown',
        step: 'speech',
      });
      expect(planRedrive({ ...TTS, outcome }, attempts, { ...WISH, resubmit: true })).toEqual({
        type: 'pay',
        fromStep: 'speech',
        reason: 'resubmitted',
      });
    }
  });

  it('waits for the job of an overdue row, unless told to pay', () => {
    const overdue: RedriveRow = { ...TTS, outcome: 'overdue', failure: { class: 'Overdue' } };
    const attempts = [attempt('speech', 'accepted')];
    expect(planRedrive(overdue, attempts, WISH)).toEqual({ type: 'wait', step: 'speech' });
    expect(planRedrive(overdue, attempts, { ...WISH, resubmit: true })).toMatchObject({ reason: 'resubmitted' });
    expect(planRedrive(overdue, attempts, { ...WISH, edited: { from: 'speech' } })).toMatchObject({ why: 'running' });
    expect(planRedrive(overdue, attempts, { ...WISH, edited: { from: null } })).toMatchObject({ type: 'wait' });
  });

  it('waits for a result that could not be fetched, and pays where told to', () => {
    const gone: RedriveRow = { ...TTS, failure: { class: 'ResultGone' } };
    const attempts = [finished('speech', { failure: { class: 'ResultGone' } })];
    expect(planRedrive(gone, attempts, WISH)).toMatchObject({ type: 'wait' });
    expect(planRedrive(gone, attempts, { ...WISH, resubmit: true })).toMatchObject({ type: 'pay', reason: 'redrive' });
  });

  it('pays for a kept step again whose result can no longer be had, once told to or in a take of its own', () => {
    const gone: RedriveRow = { ...DUB, failure: { class: 'ResultGone' } };
    expect(planRedrive(gone, [finished('speech')], WISH)).toEqual({ type: 'wait', step: 'speech' });
    expect(planRedrive(gone, [finished('speech')], { ...WISH, resubmit: true })).toMatchObject({ fromStep: 'speech' });
    const later: RedriveRow = { ...gone, take: 2, redoFrom: 'lip-sync' };
    expect(planRedrive(later, [finished('speech')], WISH)).toMatchObject({ type: 'pay', fromStep: 'speech' });
  });

  it('is left alone while a request is on the wire', () => {
    const wish = { ...WISH, resubmit: true };
    expect(planRedrive(TTS, [attempt('speech', 'sending')], wish)).toMatchObject({ why: 'on-the-wire' });
  });
});

describe('a row that needs nothing', () => {
  it('is left alone while it has not ended', () => {
    expect(planRedrive({ ...TTS, outcome: null }, [], { ...WISH, replace: true })).toEqual({
      type: 'leave',
      why: 'open',
    });
  });

  it.each(['succeeded', 'cached'] as const)('is left alone when it %s, unless it is meant itself', (outcome) => {
    const row = { ...DUB, outcome };
    const attempts = [finished('speech'), finished('lip-sync')];
    expect(planRedrive(row, attempts, WISH)).toEqual({ type: 'leave', why: 'has-result' });
    expect(planRedrive(row, attempts, { ...WISH, edited: { from: null } })).toMatchObject({ type: 'leave' });
    expect(planRedrive(row, attempts, { ...WISH, replace: true })).toMatchObject({ fromStep: 'speech' });
    expect(planRedrive(row, attempts, { ...WISH, edited: { from: 'lip-sync' } })).toEqual({
      type: 'pay',
      fromStep: 'lip-sync',
      reason: 'edited',
    });
  });
});

describe('paidSteps', () => {
  it('are those from the first on; after a wait those that follow the job', () => {
    expect(paidSteps({ kind: 'dub' }, { type: 'pay', fromStep: 'speech', reason: 'redrive' })).toEqual([
      'speech',
      'lip-sync',
    ]);
    expect(paidSteps({ kind: 'dub' }, { type: 'wait', step: 'speech' })).toEqual(['lip-sync']);
    expect(paidSteps({ kind: 'tts' }, { type: 'wait', step: 'speech' })).toEqual([]);
    expect(paidSteps({ kind: 'tts' }, { type: 'leave', why: 'open' })).toEqual([]);
  });
});

describe('of any row', () => {
  const kind = fc.constantFrom(...KINDS);
  const attempts = fc.array(
    fc.record({
      step: fc.constantFrom(...STEPS),
      take: fc.integer({ min: 1, max: 3 }),
      attempt: fc.integer({ min: 1, max: 3 }),
      state: fc.constantFrom(...ATTEMPT_STATES),
      finishedAt: fc.constantFrom(null, 1),
      failure: fc.constantFrom(null, { class: 'JobFailed' }),
      jobId: fc.constantFrom(null, 'job'),
    }),
    { maxLength: 6 },
  );
  const rows = kind.chain((ofKind) =>
    fc.record({
      spec: fc.constant({ kind: ofKind }),
      outcome: fc.constantFrom(null, ...OUTCOMES),
      failure: fc.constantFrom(null, { class: 'ResultGone' } as const, { class: 'OutcomeUnknown' } as const),
      take: fc.constant(3),
      redoFrom: fc.constantFrom(null, ...stepsIn({ kind: ofKind })),
    }),
  );
  const wishes = fc.record({
    step: fc.constantFrom(null, ...STEPS),
    resubmit: fc.boolean(),
    replace: fc.boolean(),
    accept: fc.boolean(),
    edited: fc.constantFrom(null, { from: null }),
  });

  it('a step whose last request may count still is never paid again without a say', () => {
    fc.assert(
      fc.property(rows, attempts, wishes, (row, made, wish) => {
        const plan = planRedrive(row, made, wish);
        if (plan.type !== 'pay') return;
        for (const step of paidSteps(row.spec, plan)) {
          const ofStep = made.filter((one) => one.step === step);
          const [last] = ofStep.toSorted((a, b) => b.take - a.take || b.attempt - a.attempt);
          // Of two records at one key the machine takes the first; the ledger has one.
          if (
            last === undefined ||
            ofStep.filter((one) => one.take === last.take && one.attempt === last.attempt).length > 1
          )
            continue;
          expect(last.state).not.toBe('sending');
          const mayCount = last.state === 'unknown' || (last.state === 'accepted' && last.finishedAt === null);
          if (mayCount)
            expect({ resubmit: wish.resubmit, reason: plan.reason }).toEqual({ resubmit: true, reason: 'resubmitted' });
        }
      }),
    );
  });
});

it('a row whose parts are joined again pays for no step, whatever it asks for', () => {
  const spec = { kind: 'tts', verify: 0.25 } as const;
  const plan = planRedrive({ ...TTS, spec, parts: 3, failure: { class: 'NotJoined' } }, [], WISH);
  expect(plan).toEqual({ type: 'wait', step: 'speech', isAgain: true });
  expect(paidSteps(spec, plan)).toEqual([]);
});
