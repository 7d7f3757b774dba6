import fc from 'fast-check';
import { describe, expect, it } from '@jest/globals';
import { byAttempt } from '../../contract/batch.ts';
import { ATTEMPT_STATES, hasResult, OUTCOMES, wasAccepted } from '../../contract/outcomes.ts';
import { roundCredits } from '../../contract/price-units.ts';
import { STEPS } from '../../contract/row-kinds.ts';

describe('what is said of outcomes and attempts in one place', () => {
  it('two outcomes have a result, and a row that has not ended has none', () => {
    expect(OUTCOMES.filter(hasResult)).toEqual(['succeeded', 'cached']);
    expect(hasResult(null)).toBe(false);
  });

  it('the API took an attempt that has a job or a result', () => {
    expect(ATTEMPT_STATES.filter(wasAccepted)).toEqual(['accepted', 'done']);
  });

  it('attempts are ordered by step, then take, then attempt, whatever order they came in', () => {
    const attempt = fc.record({
      step: fc.constantFrom(...STEPS),
      take: fc.integer({ min: 1, max: 4 }),
      attempt: fc.integer({ min: 1, max: 4 }),
    });
    fc.assert(
      fc.property(fc.array(attempt), (attempts) => {
        const sorted = attempts.toSorted(byAttempt);
        expect(attempts.toReversed().toSorted(byAttempt)).toEqual(sorted);
        const keys = sorted.map(({ step, take, attempt }) => STEPS.indexOf(step) * 100 + take * 10 + attempt);
        expect(keys).toEqual(keys.toSorted((a, b) => a - b));
      }),
    );
  });

  it('sums of credits lose the dust of binary fractions, and nothing else', () => {
    expect(roundCredits(0.1 + 0.2)).toBe(0.3);
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 1e9 }), (thousandths) => {
        expect(roundCredits(thousandths / 1000)).toBe(thousandths / 1000);
      }),
    );
  });
});
