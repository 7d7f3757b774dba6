import { expect, it } from '@jest/globals';
import { FIRST_PAGE_ROWS, nextPageRows } from '../../../policy/pacing/page-size.ts';

it.each([
  // A page that took a fifth of a second is right.
  [FIRST_PAGE_ROWS, 200, FIRST_PAGE_ROWS],
  [400, 400, 200],
  [600, 150, 800],
  // At most twice as many, and within bounds.
  [FIRST_PAGE_ROWS, 1, 2 * FIRST_PAGE_ROWS],
  [FIRST_PAGE_ROWS, 0, 2 * FIRST_PAGE_ROWS],
  [900, 1, 1_000],
  [100, 10_000, 50],
])('after %d rows in %d ms, the next page may have %d', (rows, heldMs, next) => {
  expect(nextPageRows(rows, heldMs)).toBe(next);
});
