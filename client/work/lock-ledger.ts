import { realpathSync } from 'node:fs';
import type { Client } from '@temporalio/client';
import { LedgerInUse } from '../../ledger/errors.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { Unlock } from '../../ledger/driver.ts';
import type { Temporal } from '../temporal/open-temporal.ts';
import { VoxbatchError } from '../problem.ts';

/**
 * Locks a ledger for the workers of this Temporal server, so that those of no other server work on it at the same time.
 * Returns the function that releases the lock. Throws {@link VoxbatchError} (`ledger-in-use`) while another server's
 * workers hold it.
 */
export async function lockLedger(
  ledger: Pick<Ledger, 'place' | 'lockForWorkers'>,
  temporal: Temporal,
  home: string,
): Promise<Unlock> {
  // Two paths to one folder are one server.
  const server = temporal.isEmbedded ? `the embedded one in ${realpathSync(home)}` : await nameOf(temporal);
  try {
    return await ledger.lockForWorkers(server);
  } catch (error) {
    if (!(error instanceof LedgerInUse)) throw error;
    throw new VoxbatchError({ type: 'ledger-in-use', ledger: ledger.place, holder: error.holder });
  }
}

/** A namespace has its own id, however its address is written; if that may not be read, the address must do. */
async function nameOf({ client, namespace, address }: Temporal): Promise<string> {
  const id = await readNamespaceId(client, namespace);
  return `namespace ${namespace} ${id === undefined ? `at ${address}` : `(${id})`}`;
}

async function readNamespaceId(client: Client, namespace: string): Promise<string | undefined> {
  try {
    const { namespaceInfo } = await client.workflowService.describeNamespace({ namespace });
    return namespaceInfo?.id ?? undefined;
  } catch {
    return undefined;
  }
}
