import type { Ledger } from '../../ledger/ledger.ts';
import type { ScheduleSettings } from '../../ledger/schedules/schedule-settings.ts';
import { readScheduleSpec, type ScheduleSpec, type WrittenSpec } from '../../policy/schedules/schedule-spec.ts';

/** A spec as it is written on a command line. */
export function specOf(written: WrittenSpec): ScheduleSpec {
  const read = readScheduleSpec(written);
  if (read.type === 'refused') throw new Error(`${read.option}: expected ${read.expected}`);
  return read.spec;
}

/** Settings of a schedule that is due each second, on the API of tests. */
export function settingsOf(change: Partial<ScheduleSettings> = {}): ScheduleSettings {
  return {
    run: {},
    spec: specOf({ every: '1s' }),
    apiUrl: 'https://api.example/api/open/v1',
    account: 'u1',
    ...change,
  };
}

/** Puts a schedule on record, as made long ago. */
export function settle(
  ledger: Pick<Ledger, 'settleSchedule'>,
  schedule: string,
  change: Partial<ScheduleSettings> = {},
): Promise<void> {
  return ledger.settleSchedule(schedule, settingsOf(change), 0);
}
