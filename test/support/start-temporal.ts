import { randomUUID } from 'node:crypto';
import { Connection } from '@temporalio/client';
import { msToTs } from '@temporalio/common/lib/time.js';
import { startTemporalCluster } from '../temporal-cluster.mjs';
import { endAfterTest } from './end-after-test.ts';
import type { TestTemporal } from './temporal-place.ts';
import { CLUSTER_DATABASE, TemporalServer } from './temporal-server.ts';
import { waitFor } from './wait-for.ts';

/** The servers of `npm run test:cluster`; undefined in other runs. */
interface ClusterRun {
  /** That of Temporal's server, which has its databases in PostgreSQL. */
  readonly temporal: string;
  readonly postgres: string;
}

function clusterRun(): ClusterRun | undefined {
  const { TEST_TEMPORAL: temporal, TEST_POSTGRES: postgres } = process.env;
  return temporal === undefined || postgres === undefined ? undefined : { temporal, postgres };
}

/** The ledger of a test in `npm run test:cluster`: a new one in its PostgreSQL. In other runs undefined: the usual one. */
export function ledgerOfCluster(): string | undefined {
  const run = clusterRun();
  return run && `${run.postgres}?schema=t${randomUUID().slice(0, 8)}`;
}

/**
 * What `npm run test:cluster` has for a test: a new namespace of its server, or with `isOwn` a server of the test's own with a
 * PostgreSQL database of its own, which may be killed. In other runs undefined. Ends after the test.
 */
export async function startOnCluster({ isOwn = false } = {}): Promise<TestTemporal | undefined> {
  const run = clusterRun();
  if (run === undefined) return undefined;
  if (!isOwn) return newNamespace(run.temporal);
  const cluster = await startTemporalCluster(run.postgres);
  endAfterTest(() => cluster.stop());
  const namespace = await newNamespace(cluster.address);
  return { ...namespace, kill: () => cluster.kill(), restart: () => cluster.start() };
}

/**
 * Starts a Temporal server with its database in a folder, as somebody else's is for voxbatch: reached by its address. Under
 * `npm run test:cluster` it is a namespace of the run's.
 */
export async function startTemporal(folder: string, database = CLUSTER_DATABASE): Promise<TestTemporal> {
  return (await startOnCluster()) ?? TemporalServer.start(folder, database);
}

async function newNamespace(address: string): Promise<TestTemporal> {
  const namespace = `test-${randomUUID().slice(0, 8)}`;
  const call = async (work: (connection: Connection) => Promise<unknown>): Promise<void> => {
    const connection = await Connection.connect({ address });
    try {
      await work(connection);
    } finally {
      await connection.close();
    }
  };
  await call(async ({ workflowService: service }) => {
    const workflowExecutionRetentionPeriod = msToTs('1 day');
    await waitFor(() => succeeds(service.registerNamespace({ namespace, workflowExecutionRetentionPeriod })));
    // The parts of a server learn of it one after the other.
    await waitFor(() => succeeds(service.listWorkflowExecutions({ namespace })));
  });
  const shared = (): never => {
    throw new Error('All tests of the run share this server. Ask for one of your own.');
  };
  const forget = (): Promise<void> => call(({ operatorService }) => operatorService.deleteNamespace({ namespace }));
  return { address, namespace, kill: shared, restart: shared, forget };
}

async function succeeds(call: Promise<unknown>): Promise<boolean> {
  return call.then(
    () => true,
    () => false,
  );
}
