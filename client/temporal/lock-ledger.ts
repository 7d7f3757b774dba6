import { defined } from '../../contract/defined.ts';
import type { Unlock } from '../../ledger/driver.ts';
import { LedgerInUse, LedgerUnreachable } from '../../ledger/errors.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { requireWritable, wrapMachineFaults } from '../machine-faults.ts';
import { VoxbatchError } from '../problem.ts';
import type { Temporal } from './open-temporal.ts';
import { serverName } from './server-name.ts';

/**
 * Locks a ledger for this Temporal server's workers, so that no other server's workers use it at the same time. Returns
 * a function that releases the lock. Throws {@link VoxbatchError}: `ledger-in-use` while another server's workers hold
 * it; `machine` if, since it was opened, the ledger has moved or another was copied into its place; `server-gone`.
 *
 * @param home folder of the embedded server, which the server's name includes
 * @param onLost called if the lock is lost later, for example because a database connection breaks, and cannot be taken
 * again
 * @param machine see {@link serverName}
 */
export async function lockLedger(
  ledger: Pick<Ledger, 'id' | 'place' | 'lockForWorkers' | 'readLedgerFacts'>,
  temporal: Temporal,
  home: string,
  onLost?: (error: Error) => void,
  machine?: string,
): Promise<Unlock> {
  const server = await serverName(temporal, home, machine);
  const unlock = await wrapMachineFaults(() => ledger.lockForWorkers(server, onLost)).catch((error: unknown) => {
    if (!(error instanceof LedgerInUse)) throw error;
    throw new VoxbatchError({ type: 'ledger-in-use', ledger: ledger.place, holder: error.holder });
  });
  try {
    // `ledger copy` holds off workers while it runs. If this process opened the ledger before a copy and got the lock
    // after it, the ledger has moved and is read-only, or is another one by now.
    const { id, readOnly } = await ledger.readLedgerFacts();
    requireWritable(defined({ place: ledger.place, readOnly }));
    if (id === ledger.id) return unlock;
    const why = 'another ledger was copied into it';
    const cause = new LedgerUnreachable(ledger.place, why, 'Run the same command again.');
    throw new VoxbatchError({ type: 'machine', cause });
  } catch (error) {
    unlock();
    throw error;
  }
}
