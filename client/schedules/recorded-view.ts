import type { ScheduleDescription } from '@temporalio/client';
import { formatDuration, utcSecond } from '../../contract/times.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { ScheduleRecord } from '../../ledger/schedules/schedule-settings.ts';
import { isOver, isPausedHere } from '../../policy/schedules/legal-firing.ts';
import { noteInWords, pausedBy } from '../../policy/schedules/missing-occurrence.ts';
import { monthOf } from '../../policy/schedules/month-budget.ts';
import type { ScheduleSpec } from '../../policy/schedules/schedule-spec.ts';
import { occurrenceViews } from './occurrence-view.ts';
import { NOTHING_FOUND } from './survey-record.ts';

/** Max occurrences shown of each schedule. */
const MAX_SHOWN = 10;

/**
 * The schedules of a ledger with their latest occurrences, by what is on record alone. Only `readScheduleStates`, which
 * queries Temporal, knows when each fires next and whether it was paused by Temporal's own tools.
 */
export async function recordedSchedules(ledger: Ledger) {
  const schedules = [];
  for (const name of await ledger.knownSchedules()) {
    const record = await ledger.scheduleRecord(name);
    if (record === undefined) continue;
    const { spec, head } = headOf(record);
    schedules.push({
      ...head,
      month: await monthOfSchedule(ledger, name, spec),
      occurrences: await occurrenceViews(ledger, name, NOTHING_FOUND, { max: MAX_SHOWN }),
    });
  }
  return schedules;
}

type InTemporal = Pick<ScheduleDescription, 'state'>;

/**
 * The facts that every view of a schedule shows. `found`: its description from Temporal; absent if Temporal does not
 * have it, or was not queried.
 */
export function headOf(record: ScheduleRecord, found: InTemporal = { state: { paused: false } }) {
  const { spec, isPaused, note } = currentStateOf(record, found);
  const { times, timezone } = spec;
  const head = {
    schedule: record.name,
    /** As written on a command line: `every 1d`, `cron 0 2 * * *` */
    times: times.type === 'every' ? `every ${formatDuration(times.everyMs)}` : times.text,
    timezone,
    paused: isPaused,
    /** Why it is paused, or was resumed; empty if no reason was given. */
    note: noteInWords(note),
  };
  return { spec, head, isPausedByItself: isPaused && pausedBy(note).cause === 'paused-on-failure' };
}

/**
 * Adds to {@link headOf} when the schedule fires next, and whether Temporal has lost it. `found`: its description from
 * Temporal; undefined if Temporal does not have it.
 */
export async function headInTemporal(ledger: Ledger, record: ScheduleRecord, found: ScheduleDescription | undefined) {
  const { spec, head } = headOf(record, found);
  const [next] = head.paused ? [] : (found?.info.nextActionTimes ?? []);
  const inTemporal = {
    ...head,
    /** It was created here and could fire again, but Temporal does not know it. */
    lost: found === undefined && !(await isDone(ledger, record)),
    /** Null if it never fires again, or is paused. */
    next: next === undefined ? null : utcSecond(next.getTime()),
  };
  return { spec, head: inTemporal };
}

/** Whether a schedule will never fire again, by its record. */
export async function isDone(ledger: Pick<Ledger, 'occurrencesOf'>, record: ScheduleRecord): Promise<boolean> {
  const occurrences = await ledger.occurrencesOf(record.name, { from: record.settledAt });
  return isOver({ ...record, spec: record.settings.spec, occurrences }, Date.now());
}

/**
 * Returns the spec of a schedule, with the number of runs that are left of it, and whether it is paused. `note`: why it
 * is paused, or was resumed. If the ledger has it paused, the ledger's note counts: whoever reaches Temporal can write
 * the one there.
 */
export function currentStateOf(
  record: ScheduleRecord,
  { state }: InTemporal,
): { readonly spec: ScheduleSpec; readonly isPaused: boolean; readonly note: string } {
  const { spec } = record.settings;
  const runs = spec.runs === null ? null : Math.min(spec.runs, state.remainingActions ?? spec.runs);
  // The schedule paused by itself after a failure, or was paused by Temporal's own tools.
  const isPausedThere = state.paused && !isPausedHere(record);
  const note = isPausedThere ? state.note : record.note;
  return { spec: { ...spec, runs }, isPaused: isPausedThere || isPausedHere(record), note: note ?? '' };
}

/** Views a schedule's spending in the current month; null if it has no monthly budget. */
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
