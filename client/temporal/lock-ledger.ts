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
 * it; `machine` if the ledger has moved, or another was copied into its place, since it was opened; `server-gone`.
 *
 * @param home folder of the embedded server, which is part of its name
 * @param onLost called if the lock is lost later, as when a database connection breaks
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
    // `ledger copy` keeps workers out while it runs: this process may have opened the ledger before, then waited here.
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
