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
    maxConcurrentActivityTaskExecutions: 200,
    stickyQueueScheduleToStartTimeout: '1s',
  });
}

/** The bundle that the build made; from source, the workflows are bundled at start. */
function workflowSource(): Pick<WorkerOptions, 'workflowBundle' | 'workflowsPath'> {
  const bundle = fileURLToPath(new URL('./workflow-bundle.cjs', import.meta.url));
  if (existsSync(bundle)) return { workflowBundle: { codePath: bundle } };
  return { workflowsPath: fileURLToPath(new URL('../workflows/index.ts', import.meta.url)) };
}
