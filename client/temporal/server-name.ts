import { realpathSync, statSync } from 'node:fs';
import { hostname } from 'node:os';
import { isGrpcServiceError, type Client } from '@temporalio/client';
import { GRPC } from '../../embedded/grpc-errors.ts';
import { bootId } from '../../embedded/process-identity.ts';
import { VoxbatchError } from '../problem.ts';
import type { Temporal } from './open-temporal.ts';

// The name of a Temporal server has one of two forms:
// `the embedded one in FOLDER (NAMESPACE-ID, machine BOOT-ID, folder INODE)` or `namespace NAME (NAMESPACE-ID)`.
// Workers note it beside the ledger that they lock, and messages show it to people.

/** The parts of a connection that its server's name is made from. */
type NamedServer = Pick<Temporal, 'client' | 'namespace' | 'address'>;

/**
 * Returns the name of a Temporal server. `home`: folder of an embedded server; `machine`: an id of this machine that no
 * other has, by default its boot id. Throws {@link VoxbatchError} (`server-gone`).
 */
export async function serverName(temporal: Temporal, home: string, machine?: string): Promise<string> {
  return temporal.isEmbedded ? nameOfEmbedded(temporal, home, machine) : nameOfCluster(temporal);
}

/** Whether a name is that of a home's embedded server, by its folder and machine: works while the server is down. */
export function isNameOfHome(name: string, home: string): boolean {
  const { before, after } = partsOfEmbedded(home);
  return name.startsWith(before) && name.endsWith(after);
}

/**
 * Whether a name is that of this cluster's namespace. If either name has no namespace id, the namespace's own name is
 * enough, because it is unknown whether the ids differ.
 */
export async function isNameOfCluster(name: string, temporal: NamedServer): Promise<boolean> {
  const own = await nameOfCluster(temporal);
  const byAddress = `namespace ${temporal.namespace} at `;
  return name === own || name.startsWith(byAddress) || (own.startsWith(byAddress) && isOfNamespace(name, temporal));
}

function isOfNamespace(name: string, { namespace }: NamedServer): boolean {
  return name.startsWith(`namespace ${namespace} (`);
}

/**
 * Returns the name of a home's embedded server. The namespace id distinguishes homes of the same path on different
 * hosts. A copy of a home has the same id, so the machine and the folder's inode are added: they differ on a clone of
 * the machine and in another container. The name need not survive a restart of the machine: the lock does not either.
 */
async function nameOfEmbedded(
  { client, namespace, address }: NamedServer,
  home: string,
  machine?: string,
): Promise<string> {
  const id = await readNamespaceId(client, namespace).catch(throwGone(address));
  if (id === undefined) throw new Error(`Temporal names no id of the namespace ${namespace}.`);
  const { before, after } = partsOfEmbedded(home, machine);
  return `${before}${id}${after}`;
}

/** The parts of the name of a home's server before and after the namespace id. */
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

/** Returns a `catch` handler that throws {@link VoxbatchError} (`server-gone`). */
function throwGone(address: string): (cause: unknown) => never {
  return (cause) => {
    throw new VoxbatchError({ type: 'server-gone', address, cause: cause as Error });
  };
}

/** gRPC codes of a server that never reveals the namespace's id, so that every process gets the same answer. */
const UNREVEALED: ReadonlySet<number> = new Set([GRPC.PERMISSION_DENIED, GRPC.UNIMPLEMENTED]);

/**
 * Returns the name of a cluster's namespace: by its id, which does not depend on how the address is written, or by the
 * address if the server never reveals the id. Any other error is thrown: a name by address would keep out the processes
 * that do get the id.
 */
async function nameOfCluster({ client, namespace, address }: NamedServer): Promise<string> {
  const id = await readNamespaceId(client, namespace).catch((error: unknown) =>
    isGrpcServiceError(error) && UNREVEALED.has(error.code) ? undefined : throwGone(address)(error),
  );
  return `namespace ${namespace} ${id === undefined ? `at ${address}` : `(${id})`}`;
}

/** Reads the id that the server's database gave the namespace. Undefined if the server returns none. */
async function readNamespaceId(client: Client, namespace: string): Promise<string | undefined> {
  const { namespaceInfo } = await client.workflowService.describeNamespace({ namespace });
  return namespaceInfo?.id === '' ? undefined : (namespaceInfo?.id ?? undefined);
}
