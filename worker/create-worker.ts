import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Worker, type NativeConnection, type WorkerOptions } from '@temporalio/worker';
import { createActivities } from '../activities/index.ts';
import type { Dependencies } from '../activities/dependencies.ts';
import { taskQueueOf } from '../contract/names.ts';
import { bundleWorkflows } from './bundle-workflows.ts';

/** Workflows per process that stay in memory: one a batch. An isolate's own heap must never fill up (a known way for a worker to die). */
const CACHED_WORKFLOWS = 100;

/** Lanes and surveys of one process at once: a few a batch. What a lane does is bounded by the limits of its batch. */
const ACTIVITIES_AT_ONCE = 500;

/**
 * Polls at once: one for activities, and two for workflows (one of them for the workflows in memory). The server also gives a task to
 * the open polls of a worker that stands still (SIGSTOP, a sleeping machine), and each such task is lost until it times out. A few lanes
 * need no more. Set as a behavior, because SDK 1.24 no longer reads `maxConcurrentActivityTaskPolls` and opens ten.
 */
const ACTIVITY_POLLS = { type: 'simple-maximum', maximum: 1 } as const;
const WORKFLOW_POLLS = { type: 'simple-maximum', maximum: 2 } as const;

/**
 * Heartbeats really go out this often. The SDK holds them back to eight tenths of the time-out by default, and then a process that stands
 * still can lose its lane within 2 s, long before its own clocks forbid it to send (`policy/send-deadline.ts`).
 */
const HEARTBEAT_EVERY = '2s';

/**
 * A worker for one realm. The short sticky time-out matters after a kill: until it is over, tasks wait for the dead worker's
 * queue.
 */
export async function createWorker(
  connection: NativeConnection,
  namespace: string,
  deps: Dependencies,
): Promise<Worker> {
  return Worker.create({
    connection,
    namespace,
    identity: deps.owner,
    taskQueue: taskQueueOf(deps.realm),
    workflowBundle: await workflowBundle(),
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

/** The bundle that the build made; from source, the workflows are bundled at start. */
async function workflowBundle(): Promise<NonNullable<WorkerOptions['workflowBundle']>> {
  const codePath = fileURLToPath(new URL('./workflow-bundle.cjs', import.meta.url));
  if (existsSync(codePath)) return { codePath };
  return { code: await bundleWorkflows(fileURLToPath(new URL('../workflows/index.ts', import.meta.url))) };
}
