import { openAdmitted } from '../../client/open-records.ts';
import { openTemporal } from '../../client/temporal/open-temporal.ts';
import { adoptSettings } from '../../client/schedules/adopt-settings.ts';
import type { SchedulePlace } from '../../client/schedules/place.ts';
import { readSettings, type CommandSettings } from '../connect/settings.ts';
import { admittance } from '../trust/admit-ledger.ts';
import type { Output } from '../terminal/output.ts';
import { lookAround, type Surroundings } from './surroundings.ts';

/** Opens the ledger and Temporal for a command on schedules, and closes them afterwards. Starts no worker. */
export async function withSchedules<T>(
  output: Output,
  work: (place: SchedulePlace, around: Surroundings, settings: CommandSettings) => Promise<T>,
): Promise<T> {
  const settings = await readSettings();
  const ledger = await openAdmitted(settings, { mustExist: true }, admittance(settings, {}, output));
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
