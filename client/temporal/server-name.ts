import { realpathSync, statSync } from 'node:fs';
import { hostname } from 'node:os';
import { isGrpcServiceError, type Client } from '@temporalio/client';
import { bootId } from '../../embedded/process-identity.ts';
import { defined } from '../../contract/defined.ts';
import type { Unlock } from '../../ledger/driver.ts';
import { LedgerInUse, LedgerUnreachable } from '../../ledger/errors.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { beforeWork, requireWritable } from '../machine-trouble.ts';
import { VoxbatchError } from '../problem.ts';
import type { Temporal } from './open-temporal.ts';

/** What names a server. */
type NamedServer = Pick<Temporal, 'client' | 'namespace' | 'address'>;

/**
 * Locks a ledger for this Temporal server's workers, so that no other server's workers use it at the same time. Returns
 * a function that releases the lock. Throws {@link VoxbatchError} (`ledger-in-use`) while another server's workers hold
 * it, (`machine`) if the ledger has moved, or another was copied into it, since it was opened, and (`server-gone`).
 * `machine`: see {@link serverName}.
 */
export async function lockLedger(
  ledger: Pick<Ledger, 'id' | 'place' | 'lockForWorkers' | 'readLedgerFacts'>,
  temporal: Temporal,
  home: string,
  onLost?: (error: Error) => void,
  machine?: string,
): Promise<Unlock> {
  const server = await serverName(temporal, home, machine);
  const unlock = await beforeWork(() => ledger.lockForWorkers(server, onLost)).catch((error: unknown) => {
    if (!(error instanceof LedgerInUse)) throw error;
    throw new VoxbatchError({ type: 'ledger-in-use', ledger: ledger.place, holder: error.holder });
  });
  try {
    // A copy keeps workers out while it runs. Whoever opened the ledger before it waited for the lock.
    const { id, readOnly } = await ledger.readLedgerFacts();
    requireWritable(defined({ place: ledger.place, readOnly }));
    if (id !== ledger.id) {
      const cause = new LedgerUnreachable(
        ledger.place,
        'another ledger was copied into it',
        'Run the same command again.',
      );
      throw new VoxbatchError({ type: 'machine', cause });
    }
    return unlock;
  } catch (error) {
    unlock();
    throw error;
  }
}

/**
 * The name of a Temporal server, as its workers note it beside the ledger that they lock. Throws {@link VoxbatchError}
 * (`server-gone`). `machine`: this one, as no other calls itself.
 */
async function serverName(temporal: Temporal, home: string, machine?: string): Promise<string> {
  return temporal.isEmbedded ? nameOfEmbedded(temporal, home, machine) : nameOf(temporal);
}

/** Whether a name is that of a home's embedded server, by all that can be told while it does not run. */
export function isNameOfHome(name: string, home: string): boolean {
  const { before, after } = partsOfEmbedded(home);
  return name.startsWith(before) && name.endsWith(after);
}

/**
 * Whether a name is that of a cluster's namespace, as far as it can be told: of an unknown id, nothing is held against
 * it.
 */
export async function isNameOfCluster(name: string, temporal: NamedServer): Promise<boolean> {
  const own = await nameOf(temporal);
  const byAddress = `namespace ${temporal.namespace} at `;
  return name === own || name.startsWith(byAddress) || (own.startsWith(byAddress) && isOfNamespace(name, temporal));
}

function isOfNamespace(name: string, { namespace }: NamedServer): boolean {
  return name.startsWith(`namespace ${namespace} (`);
}

/**
 * The id distinguishes homes of one path on different hosts, and the path tells people which it is. A copy of a home
 * has the id, too: the machine and the folder's number on its disk tell it apart, on a clone of the machine or in
 * another container. The name need not outlive a restart of the machine, as the lock does not.
 */
async function nameOfEmbedded(
  { client, namespace, address }: NamedServer,
  home: string,
  machine?: string,
): Promise<string> {
  const id = await readNamespaceId(client, namespace).catch(refuseAs(address));
  if (id === undefined) throw new Error(`Temporal names no id of the namespace ${namespace}.`);
  const { before, after } = partsOfEmbedded(home, machine);
  return `${before}${id}${after}`;
}

/** What is before and after the id in the name of a home's server. */
function partsOfEmbedded(
  home: string,
  machine = bootId() ?? hostname(),
): { readonly before: string; readonly after: string } {
  const folder = realpathSync(home);
  return {
    before: `the embedded one in ${folder} (`,
    after: `, machine ${machine}, folder ${String(statSync(folder).ino)})`,
  };
}

/** For a `catch`: says which server did not tell its id. */
function refuseAs(address: string): (cause: unknown) => never {
  return (cause) => {
    throw new VoxbatchError({ type: 'server-gone', address, cause: cause as Error });
  };
}

const PERMISSION_DENIED = 7;
const UNIMPLEMENTED = 12;
/** Codes of gRPC by which a server says that it never tells the id: whoever asks next is told the same. */
const UNTOLD: ReadonlySet<number> = new Set([PERMISSION_DENIED, UNIMPLEMENTED]);

/**
 * Identifies the server by the namespace's id, which is independent of how its address is written, or by the address if
 * the server does not tell it. Another error passes: a name by address would keep out all who are told the id.
 */
async function nameOf({ client, namespace, address }: NamedServer): Promise<string> {
  const id = await readNamespaceId(client, namespace).catch((error: unknown) =>
    isGrpcServiceError(error) && UNTOLD.has(error.code) ? undefined : refuseAs(address)(error),
  );
  return `namespace ${namespace} ${id === undefined ? `at ${address}` : `(${id})`}`;
}

/** Made with the namespace, and kept in the server's database. Undefined if the server names none. */
async function readNamespaceId(client: Client, namespace: string): Promise<string | undefined> {
  const { namespaceInfo } = await client.workflowService.describeNamespace({ namespace });
  return namespaceInfo?.id === '' ? undefined : (namespaceInfo?.id ?? undefined);
}
