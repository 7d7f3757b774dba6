import { setTimeout as sleep } from 'node:timers/promises';
import { existsSync } from 'node:fs';
import { taskQueueOf } from '../../contract/names.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { VoxbatchError } from '../problem.ts';
import { wrapMachineFaults } from '../machine-faults.ts';
import type { Settings } from '../settings.ts';
import type { Temporal } from './open-temporal.ts';

// Checks of the Temporal server, made before anything is recorded. While workers use a ledger, they hold a lock on it
// and note the name of their server beside it (`lock-ledger.ts`); `workersServer` reads that name.

/** The parts of a ledger that show whose workers use it. */
type LedgerInUse = Pick<Ledger, 'id' | 'place' | 'workersServer' | 'allLivingWorkers'>;

/**
 * Checks that Temporal can be reached and that no other server's workers hold the ledger: those workers would pay for
 * what is recorded now, although this command fails. An embedded server is not started for the check: if it fails to
 * start later, nobody works on what was recorded. Throws {@link VoxbatchError} (`ledger-in-use`, `no-cluster`,
 * `cluster-refused`, `no-namespace`, `server-gone`, `machine`).
 */
export async function requireOwnServer(settings: Settings, ledger: LedgerInUse): Promise<void> {
  if (settings.cluster === undefined) return refuseOther(ledger, (name) => isOfHome(name, settings.home));
  // Loaded lazily: a batch on this machine needs none of it yet.
  const { openTemporal } = await import('./open-temporal.ts');
  const temporal = await openTemporal(settings, { say: () => undefined });
  try {
    await requireOwnCluster(temporal, ledger);
  } finally {
    await temporal.close();
  }
}

/**
 * Checks that no workers of another server than this open cluster hold the ledger. Throws {@link VoxbatchError}
 * (`ledger-in-use`, `server-gone`, `machine`).
 */
export async function requireOwnCluster(
  temporal: Pick<Temporal, 'client' | 'namespace' | 'address'>,
  ledger: LedgerInUse,
): Promise<void> {
  const { isNameOfCluster } = await import('./server-name.ts');
  await refuseOther(ledger, async (name) => {
    if (await isNameOfCluster(name, temporal)) return true;
    // After a server's database is lost and its namespaces are made again, surviving workers still hold the ledger
    // under the server's old name.
    return isPolledByWorkersOf(ledger, temporal);
  });
}

/** Whether a worker of this ledger polls a task queue of this server. */
async function isPolledByWorkersOf(
  { id: ledgerId, allLivingWorkers }: Pick<Ledger, 'id' | 'allLivingWorkers'>,
  { client, namespace }: Pick<Temporal, 'client' | 'namespace'>,
): Promise<boolean> {
  const workers = await allLivingWorkers();
  for (const name of new Set(workers.map((worker) => taskQueueOf({ ...worker, ledgerId })))) {
    const queue = { namespace, taskQueue: { name } };
    const { pollers } = await client.workflowService.describeTaskQueue(queue).catch(() => ({ pollers: [] }));
    if (pollers.some(({ identity }) => workers.some(({ owner }) => owner === identity))) return true;
  }
  return false;
}

/**
 * Returns the name of the other server whose workers hold the ledger of a home without cluster settings; undefined if
 * there is none, or with cluster settings.
 */
export async function serverElsewhere(
  { home, cluster }: Pick<Settings, 'home' | 'cluster'>,
  ledger: LedgerInUse,
): Promise<string | undefined> {
  return cluster === undefined ? findOther(ledger, (name) => isOfHome(name, home)) : undefined;
}

/**
 * With cluster settings, checks that the cluster has the namespace. A cluster that cannot be reached now passes:
 * opening it later reports why. Throws {@link VoxbatchError} (`no-namespace`).
 */
export async function requireNamespace(settings: Settings): Promise<void> {
  if (settings.cluster === undefined) return;
  const { openTemporal } = await import('./open-temporal.ts');
  try {
    // `isUrgent`: one attempt.
    const temporal = await openTemporal(settings, { say: () => undefined, isUrgent: true });
    await temporal.close();
  } catch (error) {
    if (error instanceof VoxbatchError && error.problem.type === 'no-namespace') throw error;
  }
}

/** Whether a server's name is that of the home's embedded server. */
async function isOfHome(name: string, home: string): Promise<boolean> {
  if (!existsSync(home)) return false;
  const { isNameOfHome } = await import('./server-name.ts');
  return isNameOfHome(name, home);
}

async function refuseOther(ledger: LedgerInUse, isOwn: IsOwn): Promise<void> {
  const holder = await wrapMachineFaults(() => findOther(ledger, isOwn));
  if (holder !== undefined) throw new VoxbatchError({ type: 'ledger-in-use', ledger: ledger.place, holder });
}

/** Whether a server of this name is the one that this command uses. */
type IsOwn = (name: string) => Promise<boolean>;

/**
 * How long another server must hold the ledger to count, ms: a command that is ending, or only checks too, releases its
 * lock sooner.
 */
const MIN_HOLD_MS = 1_000;
/** Interval between two checks of the lock, ms. */
const CHECK_EVERY_MS = 50;

/** Returns the name of the other server that keeps holding the ledger; undefined if none does. */
async function findOther(ledger: LedgerInUse, isOwn: IsOwn): Promise<string | undefined> {
  const givesUpAt = performance.now() + MIN_HOLD_MS;
  let other: string | undefined;
  for (;;) {
    const holder = await ledger.workersServer();
    if (holder === undefined) return undefined;
    const isLast = performance.now() > givesUpAt;
    // `isOwn` may query Temporal, so a holder is compared only when it first appears, and once more in the end.
    if ((isLast || holder !== other) && (await isOwn(holder))) return undefined;
    if (isLast) return holder;
    other = holder;
    await sleep(CHECK_EVERY_MS);
  }
}
