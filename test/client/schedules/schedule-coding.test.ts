import { describe, expect, it } from '@jest/globals';
import type { ScheduleDescription } from '@temporalio/client';
import { decodeSpec, encodeSpec, timesInWords } from '../../../client/schedules/spec-coding.ts';
import type { WrittenSpec } from '../../../policy/schedules/schedule-spec.ts';
import { specOf } from '../../support/schedule-on-record.ts';

/** What Temporal gives back of a spec: it keeps the comment of a cron expression, and not the expression. */
function throughTemporal(written: WrittenSpec): Pick<ScheduleDescription, 'spec' | 'policies' | 'state'> {
  const { spec, policies, remainingActions } = encodeSpec(specOf(written));
  const calendars = (spec.cronExpressions ?? []).map((cron) => ({ comment: cron.split(' # ')[1] }));
  const found = { spec: { ...spec, calendars, jitter: Number(spec.jitter ?? 0) }, policies };
  return { ...found, state: { paused: false, remainingActions } } as unknown as ReturnType<typeof throughTemporal>;
}

describe('a spec in Temporal', () => {
  it.each<WrittenSpec>([
    { every: '90s' },
    { every: '1d', jitter: '5m', overlap: 'cancel', catchUp: '2h', pauseOnFailure: true, runs: 3 },
    { cron: '30 2 * * *', timezone: 'Europe/Berlin', until: '2026-12-31T23:59:59Z' },
    { cron: '*/7 6-8 1,15 jan,jul *', overlap: 'buffer-one' },
    { cron: '0 2 * * fri-sun', overlap: 'buffer-all' },
    { calendar: 'weekday=mon hour=6 year=2027,2029', overlap: 'allow' },
    { calendar: 'second=*/5 minute=* hour=*' },
    { every: '1d', timezone: 'Europe/Berlin' },
  ])('of %j is read as it was written', (written) => {
    const { budgetMonth, ...times } = specOf(written);
    expect(budgetMonth).toBeNull();
    expect(decodeSpec(throughTemporal(written))).toEqual(times);
  });

  it.each<[WrittenSpec, string]>([
    [{ cron: '30 2 * jan mon-fri' }, '0 30 2 * 1 1,2,3,4,5 * # cron 30 2 * jan mon-fri'],
    [{ cron: '@weekly' }, '0 0 0 * * 0 * # cron @weekly'],
    [
      { calendar: 'day=1 weekday=sun hour=6,18 year=2027' },
      '0 0 6,18 1 * 0 2027 # calendar day=1 weekday=sun hour=6,18 year=2027',
    ],
    [{ calendar: 'second=*/20 minute=* hour=*' }, '0,20,40 * * * * * * # calendar second=*/20 minute=* hour=*'],
  ])('of %j is its cron of seven fields', (written, cron) => {
    expect(encodeSpec(specOf(written)).spec.cronExpressions).toEqual([cron]);
  });

  it('that was written by others is not read', () => {
    for (const comment of ['', 'my calendar', 'cron now and then']) {
      const found = throughTemporal({ cron: '0 2 * * *' });
      const calendars = [{ comment }];
      const foreign = { ...found, spec: { ...found.spec, calendars } } as unknown as typeof found;
      expect(decodeSpec(foreign).times).toBeUndefined();
    }
  });

  it('is put in the words of the command line', () => {
    expect(timesInWords(specOf({ every: '36h' }).times)).toBe('every 1d12h');
    expect(timesInWords(specOf({ cron: ' 0 2 * * * ' }).times)).toBe('cron 0 2 * * *');
  });
});
