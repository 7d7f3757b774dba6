import { runsLeft } from '../../policy/schedules/legal-firing.ts';
import { createSchedule } from './make-schedule.ts';
import { describeIfThere, requireRecord, type SchedulePlace } from './open-schedules.ts';
import { resumeSchedule } from './steer-schedule.ts';

/**
 * Lets a schedule fire again: one that was paused, and one that Temporal has lost, which is made again as it is on
 * record. Firings missed meanwhile stay missed; a backfill makes up for them. Returns whether it had to be made. Throws
 * `VoxbatchError` (`no-schedule`, `schedule-silent`).
 */
export async function resumeOrRemake(place: SchedulePlace, name: string, note: string): Promise<boolean> {
  const { ledger } = place;
  const record = await requireRecord(place, name);
  if ((await describeIfThere(place, name)) !== undefined) {
    await resumeSchedule(place, name, note);
    return false;
  }
  const { settings, settledAt } = record;
  const occurrences = await ledger.occurrencesOf(name, { from: settledAt });
  const spec = { ...settings.spec, runs: runsLeft({ ...record, spec: settings.spec, occurrences }) };
  const hooks = await ledger.scheduleHooks(name);
  await createSchedule(place, { name, spec, run: settings.run, hooks, realm: settings });
  return true;
}
