import { expect, it } from '@jest/globals';
import { countPollers } from '../../../client/doctor/pollers.ts';
import type { Temporal } from '../../../client/temporal/open-temporal.ts';

const REALM = { apiUrl: 'https://api.example/api/open/v1', account: 'user-1', ledgerId: 'l1' };

/** Temporal that knows pollers of one queue, each last seen so many seconds ago. */
function temporalWith(secondsAgo: readonly number[]): Pick<Temporal, 'client' | 'namespace'> {
  const seconds = Math.floor(Date.now() / 1_000);
  const describeTaskQueue = ({ namespace, taskQueue }: { namespace: string; taskQueue: { name: string } }): unknown => {
    expect([namespace, taskQueue.name]).toEqual(['ns', 'voxbatch https://api.example/api/open/v1 user-1 l1']);
    return Promise.resolve({ pollers: secondsAgo.map((ago) => ({ lastAccessTime: { seconds: seconds - ago } })) });
  };
  return { client: { workflowService: { describeTaskQueue } }, namespace: 'ns' } as never;
}

it.each([
  [[], 0],
  [[1, 50], 2],
  [[1, 200], 1],
])('of pollers last seen %j seconds ago counts those that live', async (ago, living) => {
  expect(await countPollers(temporalWith(ago), REALM)).toBe(living);
});
