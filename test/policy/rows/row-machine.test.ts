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
  it.each([
    ['sending', 'reconcile', 1],
    ['unknown', 'reconcile', 1],
    ['not-accepted', 'submit', 2],
    ['revoked', 'submit', 2],
    ['accepted', 'wait', 1],
  ] as const)('after %s comes %s of attempt %d', (state, move, number) => {
    expect(nextMove(TTS, [attempt(state)])).toEqual({
      type: move,
      at: { row: 7, step: 'speech', take: 1, attempt: number },
    });
  });

  it('has nothing to do after a job that failed, whose row is open by a mistake or a late end', () => {
    const failed = attempt('accepted', { finishedAt: 5, failure: { class: 'JobFailed' } });
    expect(nextMove(DUB, [failed])).toEqual({ type: 'ended' });
  });

  it('has nothing to do for a row that has ended, whatever its attempts say', () => {
    for (const state of ATTEMPT_STATES) {
      expect(nextMove({ ...TTS, ended: true }, [attempt(state)])).toEqual({ type: 'ended' });
    }
  });
});

describe('nextMove, of a new take', () => {
  it('first settles an attempt of an earlier take of which nobody knows whether it is on the wire', () => {
    const at = { row: 7, step: 'speech', take: 1, attempt: 2 };
    expect(nextMove({ ...TTS, take: 2 }, [attempt('sending', { attempt: 2 })])).toEqual({ type: 'reconcile', at });
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

describe('steps', () => {
  it('of a kind that does not have the one named are all of its own: nothing is skipped by mistake', () => {
    expect(stepsFrom({ kind: 'tts' }, 'lip-sync')).toEqual(['speech']);
  });
});

describe('lastAttempt', () => {
  const two = [attempt('revoked', { take: 1, attempt: 3 }), attempt('sending', { take: 2, attempt: 1 })];

  it('is of the last take, and there the last, in any order', () => {
    const more = [...two, attempt('done', { take: 2, attempt: 2 })];
    for (const list of [two, two.toReversed()])
      expect(lastAttempt(list, 'speech')).toMatchObject({ take: 2, attempt: 1 });
    for (const list of [more, more.toReversed()]) expect(lastAttempt(list, 'speech')).toMatchObject({ attempt: 2 });
  });

  it('is of that step', () => {
    expect(lastAttempt(two, 'lip-sync')).toBeUndefined();
  });
});

describe('a step of a chain', () => {
  it.each([
    ['done', { type: 'submit', at: { row: 7, step: 'lip-sync', take: 1, attempt: 1 } }],
    ['rejected', { type: 'ended' }],
  ] as const)('that is %s', (state, move) => {
    expect(nextMove(DUB, [attempt(state)])).toEqual(move);
  });

  it('has but its last attempt counted, also where one before it was never settled', () => {
    const attempts = [attempt('sending'), attempt('not-accepted', { attempt: 2 })];
    expect(nextMove(TTS, attempts)).toMatchObject({ type: 'submit', at: { attempt: 3 } });
  });
});

describe('isLastStep', () => {
  it.each([
    ['dub', 'speech', false],
    ['dub', 'lip-sync', true],
    ['stt', 'transcription', true],
  ] as const)('%s: %s is the last: %s', (kind, step, last) => {
    expect(isLastStep({ kind }, step)).toBe(last);
  });
});
