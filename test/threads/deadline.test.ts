import { expect, it } from '@jest/globals';
import { deadlineSeconds } from '../../threads/job-clock.ts';

it('gives every job half a minute, and more for what takes a slow disk long to read', () => {
  expect([0, 300, 999_999].map(deadlineSeconds)).toEqual([30, 30, 30]);
  expect(deadlineSeconds(1_000_000)).toBe(31);
  expect(deadlineSeconds(200_000_000)).toBe(230);
});
