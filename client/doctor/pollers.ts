import { taskQueueOf, type Realm } from '../../contract/names.ts';
import type { Temporal } from '../temporal/open-temporal.ts';

// Apart from doctor.ts, whose types every program that imports voxbatch loads: those must not need Temporal's.

/**
 * A poller not seen for this long is dead, ms: a live worker polls again within a minute, but Temporal lists dead ones
 * for minutes.
 */
const LIVING_MS = 90_000;

/** Counts the workers polling Temporal for this realm. One that has just died still counts for up to 90 s. */
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
