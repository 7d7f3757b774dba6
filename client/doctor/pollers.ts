import { taskQueueOf, type Realm } from '../../contract/names.ts';
import type { Temporal } from '../temporal/open-temporal.ts';

/** Temporal lists a poller for some minutes after it is gone. A live worker polls again within a minute, ms. */
const LIVING_MS = 90_000;

/**
 * Number of workers that poll Temporal for work of this realm. One that has just died counts for up to a minute and a
 * half.
 */
export async function countPollers(
  { client, namespace }: Pick<Temporal, 'client' | 'namespace'>,
  realm: Realm,
): Promise<number> {
  // Without a kind, this describes the queue of workflow tasks, which every worker of ours polls.
  const { pollers } = await client.workflowService.describeTaskQueue({
    namespace,
    taskQueue: { name: taskQueueOf(realm) },
  });
  const since = Date.now() - LIVING_MS;
  return pollers.filter(({ lastAccessTime }) => Number(lastAccessTime?.seconds) * 1_000 >= since).length;
}
