import { describe, expect, it } from '@jest/globals';
import {
  decodeOptionalStructuredCalendarSpecs,
  encodeOptionalStructuredCalendarSpecs,
} from '@temporalio/client/lib/schedule-helpers.js';
import type { ScheduleDescription } from '@temporalio/client';
import { decodeSpec, encodeSpec, timesInWords } from '../../../client/schedules/spec-coding.ts';
import { readScheduleSpec, type ScheduleSpec, type WrittenSpec } from '../../../policy/schedules/schedule-spec.ts';

function read(written: WrittenSpec): ScheduleSpec {
  const answer = readScheduleSpec(written);
  if (answer.type === 'refused') throw new Error(answer.expected);
  return answer.spec;
}

/** What Temporal gives back of a spec: calendars go over the wire as ranges. */
function throughTemporal(spec: ScheduleSpec): Pick<ScheduleDescription, 'spec' | 'policies' | 'state'> {
  const { spec: times, policies, remainingActions } = encodeSpec(spec);
  const calendars = decodeOptionalStructuredCalendarSpecs(encodeOptionalStructuredCalendarSpecs(times.calendars));
  const intervals = times.intervals?.map(({ every }) => ({ every: Number(every), offset: 0 }));
  return {
    spec: { ...times, calendars, intervals, skip: [], jitter: Number(times.jitter ?? 0) },
    policies,
    state: { paused: false, remainingActions },
  } as unknown as Pick<ScheduleDescription, 'spec' | 'policies' | 'state'>;
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
    const { budgetMonth, ...times } = read(written);
    expect(budgetMonth).toBeNull();
    expect(decodeSpec(throughTemporal(read(written)))).toEqual(times);
  });

  it('is put in the words of the command line', () => {
    expect(timesInWords(read({ every: '36h' }).times)).toBe('every 1d12h');
    expect(timesInWords(read({ cron: ' 0 2 * * * ' }).times)).toBe('cron 0 2 * * *');
  });
});
