import { describe, expect, it } from '@jest/globals';
import { lookPauseMs } from '../../../policy/schedules/occurrence-looks.ts';

describe('the pause between two looks at a batch', () => {
  const pauses = (isTold: boolean): readonly number[] =>
    [0, 1, 2, 3, 4, 5, 1_000].map((looks) => lookPauseMs(looks, isTold));

  it('grows to 15 s where nobody tells of its end', () => {
    expect(pauses(false)).toEqual([1_000, 2_000, 4_000, 8_000, 15_000, 15_000, 15_000]);
  });

  it('grows to 5 minutes where its workflow does', () => {
    expect(pauses(true)).toEqual([15_000, 30_000, 60_000, 120_000, 240_000, 300_000, 300_000]);
  });
});
