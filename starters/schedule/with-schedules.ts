import { openRecords } from '../../client/open-records.ts';
import { openTemporal } from '../../client/open-temporal.ts';
import type { SchedulePlace } from '../../client/schedules/place.ts';
import type { Settings } from '../../client/settings.ts';
import { readSettings } from '../connect/settings.ts';
import type { Output } from '../terminal/output.ts';

/** Opens the ledger and Temporal for a command on schedules, and closes them afterwards. Starts no worker. */
export async function withSchedules<T>(
  output: Output,
  work: (place: SchedulePlace, settings: Settings) => Promise<T>,
): Promise<T> {
  const settings = await readSettings();
  const ledger = await openRecords(settings, { mustExist: true });
  try {
    const temporal = await openTemporal(settings, { say: output.say });
    try {
      return await work({ temporal, ledger }, settings);
    } finally {
      await temporal.close();
    }
  } finally {
    await ledger.close();
  }
}
