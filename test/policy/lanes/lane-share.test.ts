import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  recheckPauseMs,
  claimSize,
  defaultSubmits,
  fairShare,
  shouldYieldLane,
  lanesFor,
  roundPauseMs,
  rowsToReturn,
  laneWindow,
} from '../../../policy/lanes/lane-share.ts';

it('a worker has one lane, but there are no more than there is work for, and always one', () => {
  expect([lanesFor(1_000, 3), lanesFor(60, 3), lanesFor(3, 3), lanesFor(1_000, 0)]).toEqual([3, 2, 1, 1]);
});

it('a batch sends as many requests at once as its size asks for where nobody has set it', () => {
  expect([0, 1, 8, 9, 12, 29, 100, 1_000_000].map(defaultSubmits)).toEqual([2, 2, 2, 3, 3, 8, 8, 8]);
});

it('a round goes on at once after one that brought the batch on, and then makes ever longer pauses', () => {
  expect([0, 1, 2, 3, 4, 7, 8, 3_000].map(roundPauseMs)).toEqual([0, 0, 1_000, 2_000, 4_000, 32_000, 60_000, 60_000]);
});

it('the next question comes after a quarter of a minute to ten minutes', () => {
  expect([0, 1, 2, 5, 6, 5_000].map(recheckPauseMs)).toEqual([15_000, 30_000, 60_000, 480_000, 600_000, 600_000]);
});

it('a process leaves the last of its lanes to a worker that has none, and none where each has one', () => {
  const taken = ['a', 'b', 'a'].map((owner, at) => ({ lane: at + 1, owner }));
  const thatGive = (workers: readonly string[]): number[] =>
    taken.filter((lane) => shouldYieldLane(lane, workers, taken)).map(({ lane }) => lane);
  expect([thatGive(['a', 'b', 'c']), thatGive(['a', 'b'])]).toEqual([[3], []]);
});

it('workers share the unsent rows out, where those are worth a lane each', () => {
  expect([fairShare(120, 1), fairShare(120, 2), fairShare(401, 4), fairShare(40, 4), fairShare(0, 4)]).toEqual([
    120, 60, 101, 40, 0,
  ]);
});

it('a lane hands back what is clearly more than its share', () => {
  expect([
    rowsToReturn(60, 60),
    rowsToReturn(64, 60),
    rowsToReturn(75, 60),
    rowsToReturn(14, 10),
    rowsToReturn(15, 10),
  ]).toEqual([0, 0, 15, 0, 5]);
});

it('lanes share the window out whole, at most one row a lane beyond it', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 5_000 }), fc.integer({ min: 1, max: 50 }), (window, lanes) => {
      const all = lanes * laneWindow({ window }, lanes);
      expect(all).toBeGreaterThanOrEqual(window);
      expect(all).toBeLessThan(window + lanes);
    }),
  );
});

it.each([
  [
    'nothing while enough rows wait for their place',
    [
      [100, 50],
      [1_000, 200],
      [40, 60],
    ],
    [0, 0, 0],
  ],
  [
    'so many that a claim is worth its commit',
    [
      [1, 0],
      [100, 49],
      [400, 0],
      [10_000, 199],
    ],
    [100, 51, 200, 201],
  ],
])('a lane claims %s', (_, waiting, sizes) => {
  expect(waiting.map(([room = 0, rows = 0]) => claimSize(room, rows))).toEqual(sizes);
});
