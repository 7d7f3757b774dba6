import { describe, expect, it } from '@jest/globals';
import { encodeSpec } from '../../../client/schedules/temporal-spec.ts';
import type { WrittenSpec } from '../../../policy/schedules/schedule-spec.ts';
import { specOf } from '../../support/schedule-on-record.ts';

describe('a spec in Temporal', () => {
  it.each<[WrittenSpec, string]>([
    [{ cron: '30 2 * jan mon-fri' }, '0 30 2 * 1 1,2,3,4,5 * # cron 30 2 * jan mon-fri'],
    [{ cron: '@weekly' }, '0 0 0 * * 0 * # cron @weekly'],
    [{ cron: ' */20 6-8 1,15 * * ' }, '0 0,20,40 6,7,8 1,15 * * * # cron */20 6-8 1,15 * *'],
  ])('of %j is its cron of seven fields', (written, cron) => {
    expect(encodeSpec(specOf(written)).spec).toEqual({ cronExpressions: [cron], timezone: 'UTC' });
  });

  it('has all that is written', () => {
    const written = { every: '1d', jitter: '5m', overlap: 'cancel', catchUp: '2h', pauseOnFailure: true, runs: 3 };
    expect(encodeSpec(specOf({ ...written, until: '2026-12-31T23:59:59Z' }))).toEqual({
      spec: {
        intervals: [{ every: 86_400_000 }],
        timezone: 'UTC',
        jitter: 300_000,
        endAt: new Date('2026-12-31T23:59:59Z'),
      },
      policies: { overlap: 'CANCEL_OTHER', catchupWindow: 7_200_000, pauseOnFailure: true },
      remainingActions: 3,
    });
  });
});
