import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { ATTEMPT_STATES, type AttemptState } from '../../../contract/outcomes.ts';
import { KINDS, ROW_KINDS, STEPS } from '../../../contract/row-kinds.ts';
import { isLastStep, lastAttempt, nextMove, type AttemptView } from '../../../workflows/policy/row-machine.ts';

const TTS = { row: 7, kind: 'tts', take: 1, ended: false } as const;
const DUB = { ...TTS, kind: 'dub' } as const;

function attempt(state: AttemptState, more: Partial<AttemptView> = {}): AttemptView {
  return { step: 'speech', take: 1, attempt: 1, state, finishedAt: null, ...more };
}

describe('nextMove', () => {
  it('begins with attempt 1 of the first step', () => {
    expect(nextMove(TTS, [])).toEqual({ do: 'submit', at: { row: 7, step: 'speech', take: 1, attempt: 1 } });
  });

  it.each([
    ['sending', 'reconcile', 1],
    ['unknown', 'reconcile', 1],
    ['not-accepted', 'submit', 2],
    ['revoked', 'submit', 2],
    ['accepted', 'wait', 1],
  ] as const)('after %s comes %s of attempt %d', (state, move, number) => {
    expect(nextMove(TTS, [attempt(state)])).toEqual({
      do: move,
      at: { row: 7, step: 'speech', take: 1, attempt: number },
    });
  });

  it.each(['done', 'rejected'] as const)('ends a single step after %s', (state) => {
    expect(nextMove(TTS, [attempt(state)])).toEqual({ do: 'ended' });
  });

  it('goes on to the next step of a chain when the job before it has ended', () => {
    const speech = attempt('accepted', { finishedAt: 5 });
    expect(nextMove(DUB, [speech])).toEqual({ do: 'submit', at: { row: 7, step: 'lip-sync', take: 1, attempt: 1 } });
  });

  it('looks at the last attempt, not at the last verdict', () => {
    const attempts = [attempt('not-accepted'), attempt('sending', { attempt: 2 })];
    expect(nextMove(TTS, attempts)).toMatchObject({ do: 'reconcile', at: { attempt: 2 } });
    expect(nextMove(TTS, attempts.toReversed())).toMatchObject({ do: 'reconcile', at: { attempt: 2 } });
  });

  it('has nothing to do for a row that has ended, whatever its attempts say', () => {
    for (const state of ATTEMPT_STATES) {
      expect(nextMove({ ...TTS, ended: true }, [attempt(state)])).toEqual({ do: 'ended' });
    }
  });
});

const anyAttempts = fc.array(
  fc.record({
    step: fc.constantFrom(...STEPS),
    take: fc.integer({ min: 1, max: 3 }),
    attempt: fc.integer({ min: 1, max: 4 }),
    state: fc.constantFrom(...ATTEMPT_STATES),
    finishedAt: fc.option(fc.nat()),
  }),
);

describe('the row machine, over all records', () => {
  it('never asks to send while an attempt of that step may have been taken', () => {
    fc.assert(
      fc.property(fc.constantFrom(...KINDS), anyAttempts, (kind, attempts) => {
        const move = nextMove({ row: 1, kind, take: 1, ended: false }, attempts);
        if (move.do !== 'submit') return;
        const last = lastAttempt(attempts, move.at.step);
        expect([undefined, 'not-accepted', 'revoked']).toContain(last?.state);
        expect(move.at.attempt).toBe(last === undefined ? 1 : last.attempt + 1);
      }),
    );
  });

  it('asks for a step only when all steps before it are finished', () => {
    fc.assert(
      fc.property(fc.constantFrom(...KINDS), anyAttempts, (kind, attempts) => {
        const move = nextMove({ row: 1, kind, take: 1, ended: false }, attempts);
        if (move.do === 'ended') return;
        const { steps } = ROW_KINDS[kind];
        for (const step of steps.slice(0, steps.indexOf(move.at.step))) {
          const last = lastAttempt(attempts, step);
          expect(last?.state === 'done' || (last?.state === 'accepted' && last.finishedAt !== null)).toBe(true);
        }
      }),
    );
  });

  it('does not depend on the order of the records', () => {
    const unique = anyAttempts.map((all) => [
      ...new Map(all.map((one) => [`${one.step} ${String(one.take)} ${String(one.attempt)}`, one])).values(),
    ]);
    fc.assert(
      fc.property(fc.constantFrom(...KINDS), unique, (kind, attempts) => {
        const row = { row: 1, kind, take: 1, ended: false };
        expect(nextMove(row, attempts.toReversed())).toEqual(nextMove(row, attempts));
      }),
    );
  });
});

describe('isLastStep', () => {
  it.each([
    ['dub', 'speech', false],
    ['dub', 'lip-sync', true],
    ['stt', 'transcription', true],
  ] as const)('%s: %s is the last: %s', (kind, step, last) => {
    expect(isLastStep(kind, step)).toBe(last);
  });
});
