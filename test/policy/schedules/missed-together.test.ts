import { describe, expect, it } from '@jest/globals';
import { countMissed } from '../../../policy/schedules/missed-together.ts';

const missed = (at: number): { at: number; cause: 'missed'; reason: string } => ({
  at,
  cause: 'missed',
  reason: 'Away.',
});
const paused = { at: 9, cause: 'paused', reason: 'Paused.' } as const;

describe('due times that were missed together', () => {
  it.each([
    [[missed(1)], ['Away.']],
    [
      [missed(1), missed(2)],
      ['Away.', 'Away. An earlier due time was missed with it.'],
    ],
    [
      [missed(3), missed(1), missed(2)],
      ['Away. 2 earlier due times were missed with it.', 'Away.', 'Away.'],
    ],
    [
      [missed(1), paused],
      ['Away.', 'Paused.'],
    ],
    [[paused], ['Paused.']],
  ])('%j', (skipped, reasons) => {
    expect(countMissed(skipped).map(({ reason }) => reason)).toEqual(reasons);
  });
});
