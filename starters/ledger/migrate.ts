import { openRecords } from '../../client/open-records.ts';
import type { ExitName } from '../../contract/exit-codes.ts';
import type { Flags } from '../commands/flags.ts';
import { readSettings } from '../connect/settings.ts';
import type { RunContext } from '../terminal/output.ts';

/** `voxbatch ledger migrate`: makes the tables of the ledger, or adds what this version has more. Repeatable. */
export async function migrate(_flags: Flags, { output }: RunContext): Promise<ExitName> {
  const settings = await readSettings();
  const ledger = await openRecords(settings, { mustExist: false, makesTables: true });
  await ledger.close();
  output.say(`The ledger ${ledger.place} has the tables of this version.`);
  return 'complete';
}
