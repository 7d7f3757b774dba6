import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { Worker, type NativeConnection, type WorkerDeploymentOptions, type WorkerOptions } from '@temporalio/worker';
import { createActivities } from '../activities/index.ts';
import type { Dependencies } from '../activities/dependencies.ts';
import type { PayloadKeys } from './encryption/payload-keys.ts';
import { downloadQueueOf, taskQueueOf } from '../contract/names.ts';
import type { WorkerVersion } from '../contract/worker-version.ts';
import { bundleWorkflows, withEncodedFailures } from './bundle-workflows.ts';

/**
 * Max workflows of one process that stay in memory, one per batch. More could fill the heap of the isolate that runs
 * them, which kills the worker.
 */
const MAX_CACHED_WORKFLOWS = 100;

/** Max concurrent activities of one process: a few lanes and surveys per batch. Each batch limits its own lanes. */
const MAX_ACTIVITIES = 500;

/**
 * Concurrent polls: one for activities, and two for workflows (one of them for the workflows in memory). Few lanes need
 * no more. More would do harm: the server also gives tasks to the open polls of a frozen worker (SIGSTOP, a sleeping
 * machine), and each such task is lost until it times out. Set as a behavior, because SDK 1.24 ignores
 * `maxConcurrentActivityTaskPolls` and opens ten.
 */
const ACTIVITY_POLLS = { type: 'simple-maximum', maximum: 1 } as const;
const WORKFLOW_POLLS = { type: 'simple-maximum', maximum: 2 } as const;

/**
 * Max time for which the SDK holds a heartbeat back. By default that is eight tenths of the timeout. A frozen process
 * could then lose its lane within 2 s, long before its own clocks forbid it to send (`policy/pacing/send-deadline.ts`).
 */
const HEARTBEAT_THROTTLE = '2s';

/** The Temporal namespace that a worker polls, and how it does so. */
export interface WorkerPlace {
  readonly namespace: string;
  /** Keys that encrypt and decrypt the namespace's payloads. Undefined: payloads are not encrypted. */
  readonly payloadKeys?: PayloadKeys | undefined;
  /** The version of this worker in Temporal's Worker Versioning. Undefined: it takes no part in that. */
  readonly version?: WorkerVersion | undefined;
}

/** Creates a worker for one realm (API, account and ledger). Throws if Temporal cannot be reached. */
export async function createWorker(
  connection: NativeConnection,
  { namespace, payloadKeys, version }: WorkerPlace,
  deps: Dependencies,
): Promise<Worker> {
  return Worker.create({
    connection,
    namespace,
    identity: deps.owner,
    ...(await queueOptions(deps, payloadKeys?.writes !== undefined)),
    ...(version === undefined ? {} : { workerDeploymentOptions: deploymentOptions(version) }),
    ...(payloadKeys === undefined ? {} : await converterOptions(payloadKeys)),
    activities: createActivities(deps),
    maxCachedWorkflows: MAX_CACHED_WORKFLOWS,
    maxConcurrentActivityTaskExecutions: MAX_ACTIVITIES,
    activityTaskPollerBehavior: ACTIVITY_POLLS,
    workflowTaskPollerBehavior: WORKFLOW_POLLS,
    maxHeartbeatThrottleInterval: HEARTBEAT_THROTTLE,
    defaultHeartbeatThrottleInterval: HEARTBEAT_THROTTLE,
    // Short, because after a worker is killed, its workflows' tasks wait for it this long.
    stickyQueueScheduleToStartTimeout: '1s',
  });
}

/**
 * Returns the task queue, and the workflows if the worker runs any. A worker that only downloads does not: it sends no
 * requests, so it cannot complete a batch.
 */
async function queueOptions(
  { realm, only }: Pick<Dependencies, 'realm' | 'only'>,
  encodesFailures: boolean,
): Promise<Pick<WorkerOptions, 'workflowBundle' | 'taskQueue'>> {
  const taskQueue = taskQueueOf(realm);
  if (only === 'download') return { taskQueue: downloadQueueOf(taskQueue) };
  return { taskQueue, workflowBundle: await workflowBundle(encodesFailures) };
}

/**
 * Returns the options of Worker Versioning. A workflow run stays on the version that started it, and moves to the
 * current one when it continues as new (`workflows/worker-versions.ts`).
 */
function deploymentOptions(version: WorkerVersion): WorkerDeploymentOptions {
  return { version, useWorkerVersioning: true, defaultVersioningBehavior: 'PINNED' };
}

/** Returns the workflow bundle from the build. Without one, as when run from source, bundles the workflows now. */
async function workflowBundle(encodesFailures: boolean): Promise<NonNullable<WorkerOptions['workflowBundle']>> {
  const codePath = fileURLToPath(new URL('./workflow-bundle.cjs', import.meta.url));
  const isBuilt = existsSync(codePath);
  if (isBuilt && !encodesFailures) return { codePath };
  const code = isBuilt
    ? await readFile(codePath, 'utf8')
    : await bundleWorkflows(fileURLToPath(new URL('../workflows/index.ts', import.meta.url)));
  return { code: encodesFailures ? withEncodedFailures(code) : code };
}

/** Returns the data converter for these keys. Loads the code of encryption only now, because few workers need it. */
async function converterOptions(keys: PayloadKeys): Promise<Pick<WorkerOptions, 'dataConverter'>> {
  const { workerConverter } = await import('./encryption/converters.ts');
  return { dataConverter: workerConverter(keys) };
}
