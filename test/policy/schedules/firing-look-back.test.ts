import { describe, expect, it } from '@jest/globals';
import { firingLookBack } from '../../../policy/schedules/firing-look-back.ts';
import type { AllowedFirings } from '../../../policy/schedules/legal-firing.ts';
import { specOf } from '../../support/schedule-on-record.ts';

const DAY = 86_400_000;
const AT = Date.UTC(2026, 6, 1);
const spec = specOf({ cron: '0 0 1 */3 *' });

describe('how far back occurrences decide about a firing', () => {
  it('is a month, for batches that it may have had to wait for', () => {
    expect(firingLookBack(AT, { spec, settledAt: 0, allowed: [] })).toBe(AT - 31 * DAY);
  });

  it('is to when its times were set, where its runs are counted', () => {
    const counted = specOf({ cron: '0 0 1 */3 *', runs: 5 });
    expect(firingLookBack(AT, { spec: counted, settledAt: AT - 90 * DAY, allowed: [] })).toBe(AT - 90 * DAY);
  });

  it('is the whole range of a backfill that it may be of', () => {
    const backfill: AllowedFirings = {
      ...{ id: 1, kind: 'backfill', from: AT - 400 * DAY, until: AT, isVoid: false, askedAt: AT + DAY },
      spec: specOf({ cron: '0 0 1 */3 *', jitter: '1h' }),
    };
    const lookBack = (at: number): number => firingLookBack(at, { spec, settledAt: 0, allowed: [backfill] });
    expect(lookBack(AT)).toBe(AT - 400 * DAY - 3_600_000);
    expect(lookBack(AT + 1)).toBe(AT + 1 - 31 * DAY);
  });
});
