import { setTimeout as sleep } from 'node:timers/promises';
import { existsSync } from 'node:fs';
import { taskQueueOf } from '../../contract/names.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { VoxbatchError } from '../problem.ts';
import { beforeWork } from '../machine-trouble.ts';
import type { Settings } from '../settings.ts';
import type { Temporal } from './open-temporal.ts';

type Worked = Pick<Ledger, 'id' | 'place' | 'workersServer' | 'allLivingWorkers'>;

/**
 * Checks that Temporal can be reached and that no other server's workers hold the ledger. Call it before recording
 * anything: those workers would pay for it, although this command fails. An embedded server is not started for it: if
 * that one fails, nobody works on what was recorded. Throws {@link VoxbatchError} (`ledger-in-use`, `no-cluster`,
 * `cluster-refused`, `no-namespace`, `server-gone`, `machine`).
 */
export async function requireOwnServer(settings: Settings, ledger: Worked): Promise<void> {
  if (settings.cluster === undefined) return refuseOther(ledger, (name) => isOfHome(name, settings.home));
  // Loaded lazily: a batch on this machine needs none of it yet.
  const { openTemporal } = await import('./open-temporal.ts');
  const temporal = await openTemporal(settings, { say: () => undefined });
  try {
    await requireServer(temporal, ledger);
  } finally {
    await temporal.close();
  }
}

/** The same for a cluster that is open. */
export async function requireServer(
  temporal: Pick<Temporal, 'client' | 'namespace' | 'address'>,
  ledger: Worked,
): Promise<void> {
  const { isNameOfCluster } = await import('./server-name.ts');
  await refuseOther(ledger, async (name) => {
    if (await isNameOfCluster(name, temporal)) return true;
    // After its database is lost and its namespaces are made again, surviving workers still hold the ledger under the
    // old name.
    return isPolledByWorkersOf(ledger, temporal);
  });
}

/** Whether a worker of this ledger takes its work from this server. */
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

/** The other server whose workers hold the ledger of a home without cluster settings; undefined if none do. */
export async function serverElsewhere(
  { home, cluster }: Pick<Settings, 'home' | 'cluster'>,
  ledger: Worked,
): Promise<string | undefined> {
  return cluster === undefined ? findOther(ledger, (name) => isOfHome(name, home)) : undefined;
}

async function isOfHome(name: string, home: string): Promise<boolean> {
  if (!existsSync(home)) return false;
  const { isNameOfHome } = await import('./server-name.ts');
  return isNameOfHome(name, home);
}

async function refuseOther(ledger: Worked, isOwn: IsOwn): Promise<void> {
  const holder = await beforeWork(() => findOther(ledger, isOwn));
  if (holder !== undefined) throw new VoxbatchError({ type: 'ledger-in-use', ledger: ledger.place, holder });
}

type IsOwn = (name: string) => Promise<boolean>;

/** How long another server's hold must last to count: a command that just ends, or looks too, releases its own, ms. */
const PATIENCE_MS = 1_000;
const GAP_MS = 50;

async function findOther(ledger: Worked, isOwn: IsOwn): Promise<string | undefined> {
  const givesUpAt = performance.now() + PATIENCE_MS;
  let other: string | undefined;
  for (;;) {
    const holder = await ledger.workersServer();
    if (holder === undefined) return undefined;
    const isLast = performance.now() > givesUpAt;
    // Temporal is asked when it is seen first, and once more in the end.
    if ((isLast || holder !== other) && (await isOwn(holder))) return undefined;
    if (isLast) return holder;
    other = holder;
    await sleep(GAP_MS);
  }
}
