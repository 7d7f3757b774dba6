import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { ATTEMPT_STATES, type AttemptState } from '../../../contract/outcomes.ts';
import { KINDS, stepsIn, STEPS } from '../../../contract/row-kinds.ts';
import { isLastStep, lastAttempt, nextMove, stepsFrom, type AttemptView } from '../../../policy/rows/row-machine.ts';

const TTS = { row: 7, kind: 'tts', take: 1, redoFrom: null, ended: false } as const;
const DUB = { ...TTS, kind: 'dub' } as const;

function attempt(state: AttemptState, more: Partial<AttemptView> = {}): AttemptView {
  return { step: 'speech', take: 1, attempt: 1, state, finishedAt: null, failure: null, ...more };
}

describe('nextMove', () => {
  const at = { row: 7, step: 'speech', take: 1, attempt: 1 } as const;
  const jobFailed = attempt('accepted', { finishedAt: 5, failure: { class: 'JobFailed' } });
  const later = [attempt('sending'), attempt('not-accepted', { attempt: 2 })];

  it.each<[string, Parameters<typeof nextMove>[0], readonly AttemptView[], ReturnType<typeof nextMove>]>([
    ['sending: it is reconciled', TTS, [attempt('sending')], { type: 'reconcile', at }],
    ['unknown: it is reconciled', TTS, [attempt('unknown')], { type: 'reconcile', at }],
    ['not accepted: it is sent again', TTS, [attempt('not-accepted')], { type: 'submit', at: { ...at, attempt: 2 } }],
    ['revoked: it is sent again', TTS, [attempt('revoked')], { type: 'submit', at: { ...at, attempt: 2 } }],
    ['accepted: it is waited for', TTS, [attempt('accepted')], { type: 'wait', at }],
    ['a job that failed, open by mistake or a late end', DUB, [jobFailed], { type: 'ended' }],
    ['one that was done, and failed', DUB, [{ ...jobFailed, state: 'done' }], { type: 'ended' }],
    ['one that was cached, and failed', DUB, [{ ...jobFailed, state: 'cached' }], { type: 'ended' }],
    ['a step of a chain that is done', DUB, [attempt('done')], { type: 'submit', at: { ...at, step: 'lip-sync' } }],
    ['one that was rejected', DUB, [attempt('rejected')], { type: 'ended' }],
    ['its last attempt alone, also after an unsettled one', TTS, later, { type: 'submit', at: { ...at, attempt: 3 } }],
    ['an earlier take that may be on the wire', { ...TTS, take: 2 }, [attempt('sending')], { type: 'reconcile', at }],
  ])('after %s', (_, row, attempts, move) => expect(nextMove(row, attempts)).toEqual(move));

  it('has nothing to do for a row that has ended, whatever its attempts say', () => {
    for (const state of ATTEMPT_STATES)
      expect(nextMove({ ...TTS, ended: true }, [attempt(state)])).toEqual({ type: 'ended' });
  });
});

const anyAttempts = fc.array(
  fc.record({
    step: fc.constantFrom(...STEPS),
    take: fc.integer({ min: 1, max: 3 }),
    attempt: fc.integer({ min: 1, max: 4 }),
    state: fc.constantFrom(...ATTEMPT_STATES),
    finishedAt: fc.option(fc.nat()),
    failure: fc.constantFrom(null, {}),
  }),
);

const anyRow = fc.record({
  row: fc.constant(1),
  kind: fc.constantFrom(...KINDS),
  take: fc.integer({ min: 1, max: 3 }),
  redoFrom: fc.constantFrom(null, ...STEPS),
  ended: fc.constant(false),
});
const of = (attempts: readonly AttemptView[], take: number): AttemptView[] =>
  attempts.filter((one) => one.take === take);

describe('the row machine, over all records', () => {
  it('never asks to send while an attempt of that step and take may have been taken, or an earlier one is on the wire', () => {
    fc.assert(
      fc.property(anyRow, anyAttempts, (row, attempts) => {
        const move = nextMove(row, attempts);
        if (move.type !== 'submit') return;
        const { step, take, attempt: number } = move.at;
        expect(take).toBe(row.take);
        const last = lastAttempt(of(attempts, take), step);
        expect([undefined, 'not-accepted', 'revoked']).toContain(last?.state);
        expect(number).toBe(last === undefined ? 1 : last.attempt + 1);
        expect(attempts.filter((one) => one.step === step && one.take < take && one.state === 'sending')).toEqual([]);
      }),
    );
  });

  it('asks for a step only when all steps before it are finished, or kept', () => {
    fc.assert(
      fc.property(anyRow, anyAttempts, (row, attempts) => {
        const move = nextMove(row, attempts);
        if (move.type === 'ended') return;
        const steps = stepsIn({ kind: row.kind });
        const first = row.redoFrom === null ? 0 : Math.max(0, steps.indexOf(row.redoFrom));
        expect(steps.indexOf(move.at.step)).toBeGreaterThanOrEqual(first);
        for (const step of steps.slice(first, steps.indexOf(move.at.step))) {
          const last = lastAttempt(of(attempts, row.take), step);
          const isGood = last?.state === 'accepted' && last.finishedAt !== null && last.failure === null;
          expect(last?.state === 'done' || last?.state === 'cached' || isGood).toBe(true);
        }
      }),
    );
  });

  it('does not depend on the order of the records', () => {
    // One on the wire at most, which the ledger sees to.
    const unique = anyAttempts.map((all) => [
      ...new Map(
        all
          .filter(({ state }, index) => state !== 'sending' || all.findIndex((one) => one.state === state) === index)
          .map((one) => [`${one.step} ${String(one.take)} ${String(one.attempt)}`, one]),
      ).values(),
    ]);
    fc.assert(
      fc.property(anyRow, unique, (row, attempts) => {
        expect(nextMove(row, attempts.toReversed())).toEqual(nextMove(row, attempts));
      }),
    );
  });
});

it('steps of a kind that does not have the one named are all of its own: nothing is skipped by mistake', () => {
  expect(stepsFrom({ kind: 'tts' }, 'lip-sync')).toEqual(['speech']);
});

describe('lastAttempt', () => {
  const two = [attempt('revoked', { take: 1, attempt: 3 }), attempt('sending', { take: 2, attempt: 1 })];

  it('is of the last take, and there the last, in any order', () => {
    const more = [...two, attempt('done', { take: 2, attempt: 2 })];
    for (const list of [two, two.toReversed()])
      expect(lastAttempt(list, 'speech')).toMatchObject({ take: 2, attempt: 1 });
    for (const list of [more, more.toReversed()]) expect(lastAttempt(list, 'speech')).toMatchObject({ attempt: 2 });
  });

  it('is of that step', () => expect(lastAttempt(two, 'lip-sync')).toBeUndefined());
});

it.each([
  ['dub', 'speech', false],
  ['dub', 'lip-sync', true],
  ['stt', 'transcription', true],
] as const)('isLastStep %s: %s is the last: %s', (kind, step, last) => expect(isLastStep({ kind }, step)).toBe(last));
