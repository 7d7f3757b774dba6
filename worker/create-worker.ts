import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { Worker, type NativeConnection, type WorkerDeploymentOptions, type WorkerOptions } from '@temporalio/worker';
import { createActivities } from '../activities/index.ts';
import type { Dependencies } from '../activities/dependencies.ts';
import type { PayloadKeys } from './encryption/payload-keys.ts';
import { downloadQueueOf, taskQueueOf } from '../contract/names.ts';
import type { WorkerVersion } from '../contract/worker-version.ts';
import { bundleWorkflows, encodingFailures } from './bundle-workflows.ts';

/**
 * Workflows per process that stay in memory: one per batch. An isolate's own heap must never fill up (a known way for a
 * worker to die).
 */
const CACHED_WORKFLOWS = 100;

/** Concurrent lanes and surveys of one process: a few per batch. The limits of a batch bound what its lanes do. */
const ACTIVITIES_AT_ONCE = 500;

/**
 * Concurrent polls: one for activities, and two for workflows (one of them for the workflows in memory). The server
 * also gives tasks to the open polls of a frozen worker (SIGSTOP, a sleeping machine), and each such task is lost until
 * it times out. A few lanes need no more. Set as a behavior, because SDK 1.24 no longer reads
 * `maxConcurrentActivityTaskPolls` and opens ten.
 */
const ACTIVITY_POLLS = { type: 'simple-maximum', maximum: 1 } as const;
const WORKFLOW_POLLS = { type: 'simple-maximum', maximum: 2 } as const;

/**
 * Heartbeats really go out this often. By default the SDK holds them back for eight tenths of the timeout; a frozen
 * process could then lose its lane within 2 s, long before its own clocks forbid it to send
 * (`policy/pacing/send-deadline.ts`).
 */
const HEARTBEAT_EVERY = '2s';

/** Where a worker takes its work from. */
export interface WorkerPlace {
  readonly namespace: string;
  /** Keys of the payloads there; undefined: there are no encrypted ones. */
  readonly payloadKeys?: PayloadKeys | undefined;
  /** With it, this worker takes part in Temporal's Worker Versioning. */
  readonly version?: WorkerVersion | undefined;
}

/**
 * Creates a worker for one realm. The short sticky timeout matters after a kill: until it is over, tasks wait for the
 * dead worker's queue.
 */
export async function createWorker(
  connection: NativeConnection,
  { namespace, payloadKeys, version }: WorkerPlace,
  deps: Dependencies,
): Promise<Worker> {
  return Worker.create({
    connection,
    namespace,
    identity: deps.owner,
    ...(await queueOf(deps, payloadKeys?.writes !== undefined)),
    ...(version === undefined ? {} : { workerDeploymentOptions: deploymentOf(version) }),
    ...(payloadKeys === undefined ? {} : await converterOf(payloadKeys)),
    activities: createActivities(deps),
    maxCachedWorkflows: CACHED_WORKFLOWS,
    maxConcurrentActivityTaskExecutions: ACTIVITIES_AT_ONCE,
    activityTaskPollerBehavior: ACTIVITY_POLLS,
    workflowTaskPollerBehavior: WORKFLOW_POLLS,
    maxHeartbeatThrottleInterval: HEARTBEAT_EVERY,
    defaultHeartbeatThrottleInterval: HEARTBEAT_EVERY,
    stickyQueueScheduleToStartTimeout: '1s',
  });
}

/** A worker that only downloads takes no workflows: it would send nothing, so it cannot see a batch through. */
async function queueOf(
  { realm, only }: Pick<Dependencies, 'realm' | 'only'>,
  encodesFailures: boolean,
): Promise<Pick<WorkerOptions, 'workflowBundle' | 'taskQueue'>> {
  const taskQueue = taskQueueOf(realm);
  if (only === 'download') return { taskQueue: downloadQueueOf(taskQueue) };
  return { taskQueue, workflowBundle: await workflowBundle(encodesFailures) };
}

/** A run stays with the version that began it, and moves when it continues as new (`workflows/worker-versions.ts`). */
function deploymentOf(version: WorkerVersion): WorkerDeploymentOptions {
  return { version, useWorkerVersioning: true, defaultVersioningBehavior: 'PINNED' };
}

/** The bundle from the build; when run from source, bundles the workflows now. */
async function workflowBundle(encodesFailures: boolean): Promise<NonNullable<WorkerOptions['workflowBundle']>> {
  const codePath = fileURLToPath(new URL('./workflow-bundle.cjs', import.meta.url));
  const isBuilt = existsSync(codePath);
  if (isBuilt && !encodesFailures) return { codePath };
  const code = isBuilt
    ? await readFile(codePath, 'utf8')
    : await bundleWorkflows(fileURLToPath(new URL('../workflows/index.ts', import.meta.url)));
  return { code: encodesFailures ? encodingFailures(code) : code };
}

/** Loaded only where it is used. */
async function converterOf(keys: PayloadKeys): Promise<Pick<WorkerOptions, 'dataConverter'>> {
  const { workerConverter } = await import('./encryption/converters.ts');
  return { dataConverter: workerConverter(keys) };
}
