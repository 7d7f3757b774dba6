import { taskQueueOf, type Realm } from '../contract/names.ts';
import type { Temporal } from './open-temporal.ts';

/** Temporal names a poller for some minutes after it is gone. A worker that lives asks again within a minute, ms. */
const LIVING_MS = 90_000;

/** Workers that ask Temporal for work of this realm now. One that has just died counts for up to a minute and a half. */
export async function countPollers(
  { client, namespace }: Pick<Temporal, 'client' | 'namespace'>,
  realm: Realm,
): Promise<number> {
  // Of the queue's kinds, that of workflow tasks is meant where none is named. Every worker of ours polls it.
  const { pollers } = await client.workflowService.describeTaskQueue({
    namespace,
    taskQueue: { name: taskQueueOf(realm) },
  });
  const since = Date.now() - LIVING_MS;
  return pollers.filter(({ lastAccessTime }) => Number(lastAccessTime?.seconds) * 1_000 >= since).length;
}
