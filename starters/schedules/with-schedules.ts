import { withSchedules as openSchedules, type OpenSchedules } from '../../client/schedules/open-schedules.ts';
import { openSession } from '../connect/open-api.ts';
import { readSettings, type CommandSettings } from '../connect/settings.ts';
import type { Output } from '../terminal/output.ts';
import { admittance } from '../trust/admit-ledger.ts';

/** Opens the ledger and Temporal for a command on schedules, and closes them afterwards. Starts no worker. */
export async function withSchedules<T>(
  output: Output,
  work: (schedules: OpenSchedules, settings: CommandSettings) => Promise<T>,
): Promise<T> {
  const settings = await readSettings();
  const session = openSession(settings, {}, { mustExist: true, admit: admittance(settings, {}, output) });
  try {
    return await openSchedules(session, output.say, (schedules) => work(schedules, settings));
  } finally {
    await session.close();
  }
}
