import { expect, it } from '@jest/globals';
import { followBatch, type FollowRequest } from '../../../client/look/follow.ts';

it('however following ends, a store that is away is not waited for without end any more', async () => {
  const limits: number[] = [];
  const request = {
    batch: 'b',
    fetchesHere: false,
    out: null,
    signal: new AbortController().signal,
    store: { outage: { limit: (ms: number) => limits.push(ms) } },
    ledger: { findBatch: () => Promise.reject(new Error('away')) },
  } as unknown as FollowRequest;
  await expect(followBatch(request).next()).rejects.toThrow('away');
  expect(limits).toEqual([Infinity, 10_000]);
});
