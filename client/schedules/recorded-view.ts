import { formatDuration } from '../../contract/times.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { isPausedHere } from '../../policy/schedules/legal-firing.ts';
import { noteInWords } from '../../policy/schedules/missing-occurrence.ts';
import { monthOf } from '../../policy/schedules/month-budget.ts';
import type { ScheduleSpec } from '../../policy/schedules/schedule-spec.ts';
import { occurrenceViews } from './occurrence-view.ts';
import { NOTHING_FOUND } from './survey-record.ts';

/** Occurrences shown of each. */
const SHOWN = 10;

/**
 * The schedules of a ledger with their latest occurrences, by what is on record alone. When one fires next, and whether
 * it was paused by Temporal's own tools, `scheduleStandings` asks.
 */
export async function recordedSchedules(ledger: Ledger) {
  const schedules = [];
  for (const name of await ledger.knownSchedules()) {
    const record = await ledger.scheduleRecord(name);
    if (record === undefined) continue;
    const { spec } = record.settings;
    schedules.push({
      schedule: name,
      times: timesOf(spec),
      timezone: spec.timezone,
      /** Somebody paused it here. */
      paused: isPausedHere(record),
      /** Why it is paused, or was resumed; empty: nobody said. */
      note: noteInWords(record.note ?? ''),
      month: await monthOfSchedule(ledger, name, spec),
      occurrences: await occurrenceViews(ledger, name, NOTHING_FOUND, { most: SHOWN }),
    });
  }
  return schedules;
}

/** As written on a command line: `every 1d`, `cron 0 2 * * *` */
export function timesOf({ times }: Pick<ScheduleSpec, 'times'>): string {
  return times.type === 'every' ? `every ${formatDuration(times.everyMs)}` : times.text;
}

/** How the current month of a schedule stands; null if it has no budget for months. */
export async function monthOfSchedule(
  ledger: Pick<Ledger, 'monthSpend'>,
  schedule: string,
  { budgetMonth: credits, timezone }: ScheduleSpec,
) {
  if (credits === null) return null;
  const at = Date.now();
  return {
    /** `2026-12` */
    month: monthOf(at, timezone),
    ...(await ledger.monthSpend({ schedule, at, credits, timezone })),
  };
}
