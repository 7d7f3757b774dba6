import type { ScheduleDescription } from '@temporalio/client';
import type { ScheduleRecord, ScheduleSettings } from '../../ledger/schedules/schedule-records.ts';
import type { ScheduleSpec } from '../../policy/schedules/schedule-spec.ts';
import { VoxbatchError } from '../problem.ts';
import type { SchedulePlace } from './place.ts';
import { decodeSpec } from './spec-coding.ts';

/** A schedule of the ledger: one that only Temporal knows is none. Throws {@link VoxbatchError} (`no-schedule`). */
export async function requireRecord({ ledger }: Pick<SchedulePlace, 'ledger'>, name: string): Promise<ScheduleRecord> {
  const record = await ledger.scheduleRecord(name);
  if (record !== undefined) return record;
  const known = (await ledger.knownSchedules()).map((schedule) => schedule.name);
  throw new VoxbatchError({ type: 'no-schedule', schedule: name, known });
}

/** A schedule whose settings are in the ledger, so that it may fire. Throws {@link VoxbatchError} (`no-schedule`, `schedule-unsettled`). */
export async function requireSettings(
  place: Pick<SchedulePlace, 'ledger'>,
  name: string,
): Promise<ScheduleRecord & { readonly settings: ScheduleSettings }> {
  const record = await requireRecord(place, name);
  const { settings } = record;
  if (settings === undefined) throw new VoxbatchError({ type: 'schedule-unsettled', schedule: name });
  return { ...record, settings };
}

/** Times that were not written by this program: of which it knows none. */
const UNREAD: ScheduleSpec['times'] = {
  type: 'calendar',
  calendar: { second: [], minute: [], hour: [], day: [], month: [], weekday: [], year: [] },
  text: 'calendar',
};

/**
 * The spec of a schedule: the ledger's, with the runs that Temporal has left of those. Of one without settings in the ledger, the times that Temporal
 * has, to be shown only.
 */
export function specToShow(
  { settings }: Pick<ScheduleRecord, 'settings'>,
  found: Pick<ScheduleDescription, 'spec' | 'policies' | 'state'>,
): ScheduleSpec {
  if (settings === undefined) {
    const { times = UNREAD, ...rest } = decodeSpec(found);
    return { ...rest, times, budgetMonth: null };
  }
  const { runs } = settings.spec;
  return { ...settings.spec, runs: runs === null ? null : Math.min(runs, found.state.remainingActions ?? runs) };
}

/**
 * Whether a schedule is paused, and why, or why it was resumed. What Temporal says of it counts only where the ledger says nothing: whoever reaches
 * Temporal can write it.
 */
export function pauseToShow(
  record: Pick<ScheduleRecord, 'settings' | 'allowed' | 'note'>,
  { state }: Pick<ScheduleDescription, 'state'>,
): { readonly isPaused: boolean; readonly note: string } {
  const { paused, note = '' } = state;
  const isHere = isPausedHere(record);
  // It paused by itself after a failure, or was paused by Temporal's own tools.
  if (paused && !isHere) return { isPaused: true, note };
  // An earlier version told Temporal alone.
  return { isPaused: isHere, note: record.note ?? (paused ? note : '') };
}

/** Whether somebody paused a schedule here, so that the ledger allows none of its due times. */
export function isPausedHere({ settings, allowed }: Pick<ScheduleRecord, 'settings' | 'allowed'>): boolean {
  return settings !== undefined && !allowed.some(({ kind, until }) => kind === 'due' && until === null);
}
