import { expect, it } from '@jest/globals';
import type { HaltPolicy } from '../../../contract/halt.ts';
import { shouldHalt } from '../../../policy/lanes/halt.ts';

const OF_ROWS = { when: 'soon', fail: 3, unit: 'rows' } as const;
/** Counts from 20 rows on. */
const OF_PERCENT = { when: 'now', fail: 5, unit: 'percent' } as const;

it.each<[HaltPolicy, failed: number, tried: number, boolean]>([
  [{ when: 'never' }, 1000, 1000, false],
  [OF_ROWS, 2, 2, false],
  [OF_ROWS, 3, 3, true],
  [OF_ROWS, 4, 4, true],
  [OF_PERCENT, 19, 19, false],
  [OF_PERCENT, 0, 20, false],
  [OF_PERCENT, 1, 20, true],
  [OF_PERCENT, 1, 40, false],
  [OF_PERCENT, 2, 40, true],
  [OF_PERCENT, 2, 41, false],
])('%j halts after %d failed of %d rows: %s', (policy, failed, tried, halts) => {
  expect(shouldHalt(policy, { failed, tried })).toBe(halts);
});
