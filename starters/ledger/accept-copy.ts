import { acceptCopy } from '../../client/ledger/accept-copy.ts';
import type { ExitName } from '../../contract/exit-codes.ts';
import type { Flags } from '../commands/flags.ts';
import { readSettings } from '../connect/settings.ts';
import type { RunContext } from '../terminal/output.ts';

/** `voxbatch ledger accept-copy`: goes on with a database that took the place of the one that was last written. */
export async function acceptCopyNow(_flags: Flags, { output }: RunContext): Promise<ExitName> {
  const { ledger, paused, pausedSchedules } = await acceptCopy(await readSettings());
  output.say(
    `The ledger ${ledger} is the database behind its address from now on. Stop the former database server for good, if it can still run: ` +
      'workers that reach it go on there with the same batches, and each row would be paid for on both.',
  );
  if (paused.length > 0) {
    output.say(
      `Paused: ${paused.join(', ')}. Workers that still run put on record again what they had sent. What others had sent after the copy ` +
        'was made is not on record, and would be sent and paid for again. Compare with the jobs of your account first, and note what you find: voxbatch reconcile BATCH. Then: voxbatch resume BATCH',
    );
  }
  if (pausedSchedules.length > 0) {
    output.say(
      `Paused schedules: ${pausedSchedules.join(', ')}. A batch that one fired after the copy was made is not on record, and a firing again would pay for it again: ` +
        'what was due until now is refused. Then: voxbatch schedule resume NAME',
    );
  }
  return 'complete';
}
