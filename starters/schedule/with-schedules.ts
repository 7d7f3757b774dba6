import { openRecords } from '../../client/open-records.ts';
import { openTemporal } from '../../client/open-temporal.ts';
import { adoptSettings } from '../../client/schedules/adopt-settings.ts';
import type { SchedulePlace } from '../../client/schedules/place.ts';
import type { Settings } from '../../client/settings.ts';
import { readSettings } from '../connect/settings.ts';
import type { Output } from '../terminal/output.ts';
import { lookAround, type Surroundings } from './surroundings.ts';

/** Opens the ledger and Temporal for a command on schedules, and closes them afterwards. Starts no worker. */
export async function withSchedules<T>(
  output: Output,
  work: (place: SchedulePlace, around: Surroundings, settings: Settings) => Promise<T>,
): Promise<T> {
  const settings = await readSettings();
  const ledger = await openRecords(settings, { mustExist: true });
  try {
    // First: the command joins.
    const around = lookAround(settings);
    const temporal = await openTemporal(settings, { say: output.say });
    try {
      const place = { temporal, ledger };
      await adoptSettings(place, output.say);
      return await work(place, around, settings);
    } finally {
      await temporal.close();
    }
  } finally {
    await ledger.close();
  }
}
