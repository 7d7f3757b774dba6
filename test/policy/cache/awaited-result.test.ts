import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { shouldStopWaiting, updateWatch, waitPauseMs, type Watch } from '../../../policy/cache/awaited-result.ts';

/** What a row sees, look by look, some time apart. */
const anyLooks = fc.array(
  fc.record({
    attempt: fc.constantFrom('a', 'b'),
    isAttended: fc.boolean(),
    after: fc.integer({ min: 1, max: 90_000 }),
  }),
  { minLength: 1 },
);

describe('waiting for the result of another row', () => {
  it('ends only where nobody has worked on it for 60 s on end', () => {
    fc.assert(
      fc.property(anyLooks, (looks) => {
        let watch: Watch | undefined;
        let now = 0;
        let since: number | null = null;
        let last = '';
        for (const { attempt, isAttended, after } of looks) {
          now += after;
          watch = updateWatch(watch, { attempt, isAttended }, now);
          if (isAttended) since = null;
          else if (since === null || attempt !== last) since = now;
          last = attempt;
          expect(shouldStopWaiting(watch, now)).toBe(since !== null && now - since >= 60_000);
        }
      }),
    );
  });

  it('looks soon at first, then seldom, and never in step with others', () => {
    expect(waitPauseMs(0, 1, 0.5)).toBe(50);
    expect(waitPauseMs(0, 1, 0)).toBeLessThan(waitPauseMs(0, 1, 1));
    fc.assert(
      fc.property(fc.nat(), fc.double({ min: 0, max: 1, noNaN: true }), (looks, random) => {
        const pause = waitPauseMs(looks, 1, random);
        expect(pause).toBeGreaterThan(0);
        expect(pause).toBeLessThanOrEqual(2_500);
      }),
    );
  });

  it('is shared by many rows of a lane: together they look 200 times a second at most', () => {
    for (const looks of [0, 3, 100]) expect(2_000 / (waitPauseMs(looks, 2_000, 0.5) / 1_000)).toBeLessThanOrEqual(200);
    expect(waitPauseMs(0, 10, 0.5)).toBe(50);
  });
});
