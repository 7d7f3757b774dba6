import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { EXIT_CODES } from '../../contract/exit-codes.ts';
import { OUTCOMES, type Outcome } from '../../contract/outcomes.ts';
import { exitOf, type BatchEnd } from '../../policy/exit-of.ts';

function outcomes(rows: Partial<Record<Outcome, number>>): BatchEnd['outcomes'] {
  return Object.fromEntries(OUTCOMES.map((outcome) => [outcome, rows[outcome] ?? 0])) as BatchEnd['outcomes'];
}

const END: BatchEnd = {
  outcomes: outcomes({ succeeded: 3 }),
  notChosen: 0,
  isClosed: true,
  isPaused: false,
  pausedBy: undefined,
  isHalted: false,
  mismatch: false,
};

const codeOf = (change: Partial<BatchEnd>): number => EXIT_CODES[exitOf({ ...END, ...change })].code;

describe('exitOf', () => {
  it.each([
    [{}, 0],
    [{ outcomes: outcomes({ succeeded: 1, cached: 2 }) }, 0],
    [{ outcomes: outcomes({ failed: 1 }) }, 10],
    [{ outcomes: outcomes({ cancelled: 1 }) }, 10],
    [{ outcomes: outcomes({ cancelled: 5, failed: 1 }), isHalted: true }, 11],
    [{ outcomes: outcomes({ skipped: 1 }) }, 12],
    [{ outcomes: outcomes({ succeeded: 10, skipped: 90 }), notChosen: 90 }, 0],
    [{ outcomes: outcomes({ skipped: 91 }), notChosen: 90 }, 12],
    [{ outcomes: outcomes({ failed: 1, skipped: 90 }), notChosen: 90 }, 10],
    [{ outcomes: outcomes({ skipped: 1 }), isHalted: true }, 12],
    [{ outcomes: outcomes({ unknown: 1, failed: 1 }) }, 13],
    [{ outcomes: outcomes({ overdue: 1, cancelled: 1 }) }, 13],
    [{ outcomes: outcomes({ unknown: 1 }), isHalted: true }, 11],
    [{ outcomes: outcomes({ unfit: 1, failed: 1 }) }, 14],
    [{ outcomes: outcomes({ unfit: 1, unknown: 1 }) }, 13],
    [{ outcomes: outcomes({ skipped: 1 }), mismatch: true }, 15],
    [{ isClosed: false }, 75],
    [{ isClosed: false, isHalted: true }, 75],
    [{ isClosed: false, outcomes: outcomes({ skipped: 2 }) }, 75],
    [{ isClosed: false, isPaused: true }, 75],
    [{ isClosed: false, isPaused: true, pausedBy: 'BadToken' }, 5],
    [{ isClosed: false, pausedBy: 'OutOfCredits' }, 12],
    [{ isClosed: false, pausedBy: 'OutOfCredits', mismatch: true }, 15],
  ] as const)('%j: %i', (change, code) => expect(codeOf(change)).toBe(code));

  it('gives of several that hold the first of 15, 5, 12, 11, 13, 14, 10', () => {
    const ORDER: readonly (readonly [number, Partial<BatchEnd>, Partial<Record<Outcome, number>>])[] = [
      [15, { mismatch: true }, {}],
      [5, { pausedBy: 'BadToken' }, {}],
      [12, {}, { skipped: 1 }],
      [11, { isHalted: true }, {}],
      [13, {}, { overdue: 1 }],
      [14, {}, { unfit: 1 }],
      [10, {}, { failed: 1 }],
    ];
    fc.assert(
      fc.property(fc.subarray(ORDER.slice(), { minLength: 1 }), (held) => {
        const rows = Object.assign({}, ...held.map(([, , each]) => each)) as Partial<Record<Outcome, number>>;
        const change = Object.assign({}, ...held.map(([, each]) => each)) as Partial<BatchEnd>;
        expect(codeOf({ ...change, outcomes: outcomes(rows) })).toBe(held[0]?.[0]);
      }),
    );
  });
});
