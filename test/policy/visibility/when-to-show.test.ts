import { describe, expect, it } from '@jest/globals';
import type { SearchFigures } from '../../../contract/search-attributes.ts';
import { isFirstOrLastUnknown, isWorthShowing } from '../../../policy/visibility/when-to-show.ts';

const SHOWN: SearchFigures = { state: 'running', rows: 100, done: 10, failed: 0, unknown: 0, credits: 20 };

describe('isWorthShowing', () => {
  it('shows the first figures, and never the same again', () => {
    expect(isWorthShowing(undefined, SHOWN, 0)).toBe(true);
    expect(isWorthShowing(SHOWN, { ...SHOWN }, 1e9)).toBe(false);
  });

  it.each<[string, Partial<SearchFigures>]>([
    ['a pause', { state: 'paused' }],
    ['the first unknown row', { unknown: 1 }],
    ['the end', { state: 'ended' }],
  ])('shows %s at once', (_, change) => expect(isWorthShowing(SHOWN, { ...SHOWN, ...change }, 0)).toBe(true));

  it('shows that the last unknown row is settled at once, and another one after a minute', () => {
    const shown = { ...SHOWN, unknown: 2 };
    expect(isWorthShowing(shown, { ...shown, unknown: 0 }, 0)).toBe(true);
    expect(isWorthShowing(shown, { ...shown, unknown: 3 }, 59_999)).toBe(false);
    expect(isWorthShowing(shown, { ...shown, unknown: 3 }, 60_000)).toBe(true);
  });

  it.each(['done', 'failed', 'credits'] as const)('shows %s once a minute, and at the end whatever it is', (name) => {
    const now = { ...SHOWN, [name]: 30 };
    expect(isWorthShowing(SHOWN, now, 59_999)).toBe(false);
    expect(isWorthShowing(SHOWN, now, 60_000)).toBe(true);
    expect(isWorthShowing({ ...SHOWN, state: 'ended' }, { ...now, state: 'ended' }, 0)).toBe(true);
  });
});

it.each([
  [0, 0, false],
  [0, 1, true],
  [3, 1, false],
  [1, 0, true],
])('isNews of %d shown and %d unknown rows: %s', (shown, unknown, is) =>
  expect(isFirstOrLastUnknown(shown, unknown)).toBe(is),
);
