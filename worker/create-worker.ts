import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Worker, type NativeConnection, type WorkerOptions } from '@temporalio/worker';
import { createActivities } from '../activities/index.ts';
import type { Dependencies } from '../activities/dependencies.ts';
import { taskQueueOf } from '../contract/names.ts';

/**
 * Workflows per process that stay in memory. A batch has at most five, and an isolate's own heap must never fill up
 * (a known way for a worker to die).
 */
const CACHED_WORKFLOWS = 100;

/**
 * Most activities only wait: for their turn, for a place on the wire, for a job. What they do is bounded elsewhere; here there must be
 * room for all of them, or those that wait would keep out those that they wait for.
 */
const ACTIVITIES_AT_ONCE = 2_000;

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
    ...workflowSource(),
    activities: createActivities(deps),
    maxCachedWorkflows: CACHED_WORKFLOWS,
    maxConcurrentActivityTaskExecutions: ACTIVITIES_AT_ONCE,
    stickyQueueScheduleToStartTimeout: '1s',
  });
}

/** The bundle that the build made; from source, the workflows are bundled at start. */
function workflowSource(): Pick<WorkerOptions, 'workflowBundle' | 'workflowsPath'> {
  const bundle = fileURLToPath(new URL('./workflow-bundle.cjs', import.meta.url));
  if (existsSync(bundle)) return { workflowBundle: { codePath: bundle } };
  return { workflowsPath: fileURLToPath(new URL('../workflows/index.ts', import.meta.url)) };
}
