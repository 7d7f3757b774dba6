import { expect, it } from '@jest/globals';
import { mayCatchUp, steadyShare, type SteadyShare } from '../../../policy/pacing/catch-up.ts';

const NONE: SteadyShare = { rate: null, since: 0 };
const STATED = { isAlone: false, isStated: true };

it('missed slots are made up for within a stated share that has been the same for two seconds', () => {
  const shares = [NONE];
  for (const [rate, now] of [
    [12, 1_000],
    [12, 1_250],
    [13, 1_500],
    [13, 3_000],
  ] as const)
    shares.push(steadyShare(shares.at(-1) ?? NONE, rate, now));
  expect(shares.map(({ since }) => since)).toEqual([0, 1_000, 1_000, 1_500, 1_500]);
  const last = shares.at(-1) ?? NONE;
  expect([3_499, 3_500].map((now) => mayCatchUp(STATED, last, now))).toEqual([false, true]);
});

it('a process that is alone makes up for them at once; a share of a learned limit, or of a call a second, never', () => {
  expect(mayCatchUp({ isAlone: true, isStated: false }, NONE, 0)).toBe(true);
  const late = 10_000;
  expect([12, 1, null].map((rate) => mayCatchUp(STATED, { rate, since: 0 }, late))).toEqual([true, false, false]);
  expect(mayCatchUp({ isAlone: false, isStated: false }, { rate: 12, since: 0 }, late)).toBe(false);
});
