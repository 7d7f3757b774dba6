import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { NO_DUTY, restMs, recordWork } from '../../../policy/webhooks/duty-cycle.ts';

const SHARE = 0.1;
const BURST_MS = 20;

describe('a duty cycle', () => {
  it('lets a burst pass, then asks for a rest that pays for it', () => {
    const once = recordWork(NO_DUTY, SHARE, 10, 10);
    expect(restMs(once, SHARE, BURST_MS)).toBe(0);
    const more = recordWork(once, SHARE, 20, 20);
    expect(restMs(more, SHARE, BURST_MS)).toBeCloseTo(270);
    expect(recordWork(more, SHARE, 270, 0).debtMs).toBeCloseTo(0);
  });

  it('keeps the work below its share, whatever comes', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.double({ min: 0, max: 50, noNaN: true }), fc.double({ min: 0, max: 50, noNaN: true })), {
          maxLength: 200,
        }),
        (stretches) => {
          let [duty, time, work] = [NO_DUTY, 0, 0];
          for (const [busy, idle] of stretches) {
            duty = recordWork(duty, SHARE, busy + idle, busy);
            const rest = restMs(duty, SHARE, BURST_MS);
            duty = recordWork(duty, SHARE, rest, 0);
            [time, work] = [time + busy + idle + rest, work + busy];
          }
          expect(work).toBeLessThanOrEqual(SHARE * time + BURST_MS + 1e-6);
        },
      ),
    );
  });
});
