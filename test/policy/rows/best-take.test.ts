import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { OUTCOMES, type Outcome } from '../../../contract/outcomes.ts';
import { bestEnding, betterFallback } from '../../../policy/rows/best-take.ts';

interface Ending {
  readonly outcome: Outcome;
  readonly error?: number;
  readonly file?: { readonly key: string };
}

/** The takes of a row, the last of which ends it. */
function endAfter(takes: readonly Ending[]): Ending | undefined {
  let kept: ReturnType<typeof betterFallback<Ending>>;
  for (const take of takes.slice(0, -1)) kept = betterFallback(take, kept);
  const last = takes.at(-1);
  return last && bestEnding(last, kept);
}

const take = fc.record({ outcome: fc.constant<Outcome>('unfit'), error: fc.double({ min: 0, max: 2, noNaN: true }) });
const last = fc.oneof(
  take,
  fc.constantFrom(...OUTCOMES).map((outcome): Ending => ({ outcome })),
);

describe('the takes of a row that did not pass', () => {
  it('leave the best of them, and the earliest of equals', () => {
    fc.assert(
      fc.property(fc.array(take, { minLength: 1, maxLength: 5 }), (takes) => {
        const best = Math.min(...takes.map(({ error }) => error));
        expect(endAfter(takes)).toBe(takes.find(({ error }) => error === best));
      }),
    );
  });

  it('leave what was found last of the same file', () => {
    const file = { key: 'one' };
    const again: Ending = { outcome: 'unfit', error: 1, file };
    expect(bestEnding(again, betterFallback({ outcome: 'unfit', file }, undefined))).toBe(again);
  });

  it('never leave a row with nothing, and never hide what is better or in doubt', () => {
    fc.assert(
      fc.property(fc.array(take, { minLength: 1, maxLength: 4 }), last, (takes, ending) => {
        const end = endAfter([...takes, ending]);
        if (['failed', 'skipped', 'cancelled'].includes(ending.outcome)) expect(end?.outcome).toBe('unfit');
        else expect(end?.outcome).toBe(ending.outcome);
      }),
    );
  });
});
