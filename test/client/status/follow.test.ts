import { expect, it } from '@jest/globals';
import { followBatch, type FollowRequest, type Standing } from '../../../client/status/follow.ts';
import { limiterScope } from '../../../contract/names.ts';
import { endAnyhow, fill, ledger, ledgerForEachTest } from '../../ledger/setup.ts';
import { accept, find } from '../../starters/reached-states.ts';

ledgerForEachTest();

/** To follow batch `b` of the ledger, whose workflow runs. */
function requestTo(change: object = {}): FollowRequest {
  return {
    ledger,
    batch: 'b',
    fetchesHere: false,
    out: null,
    signal: new AbortController().signal,
    store: {},
    readWorkflow: () => Promise.resolve({ type: 'running' }),
    ...change,
  } as unknown as FollowRequest;
}

it('however following ends, a store that is away is not waited for without end any more', async () => {
  const limits: number[] = [];
  const request = requestTo({
    store: { outage: { limit: (ms: number) => limits.push(ms) } },
    ledger: { findBatch: () => Promise.reject(new Error('away')) },
  });
  await expect(followBatch(request).next()).rejects.toThrow('away');
  expect(limits).toEqual([Infinity, 10_000]);
});

it('drops the silence of the API with the count of the answer that ends it', async () => {
  await fill(ledger, 2);
  const batch = await find(ledger);
  await ledger.beat({ owner: 'w1', apiUrl: batch.apiUrl, account: batch.account });
  const now = Date.now();
  const trouble = { type: 'troubled', now, sentAt: now - 60_000 } as const;
  await ledger.updateLimiter(limiterScope({ realm: batch }, 'read'), trouble);
  const standings: Standing[] = [];
  for await (const event of followBatch(requestTo())) {
    if (event.type !== 'progress') continue;
    standings.push(event.standing);
    if (event.standing.counts.states.processing === 1) break;
    if (standings.length === 1) await accept(ledger, 1);
  }
  expect(standings[0]?.api).toMatchObject({ silence: { requests: 0 } });
  expect(standings.at(-1)?.api).toMatchObject({ silence: null });
});

it('follows a paused batch whose rows have all ended until it is closed', async () => {
  await fill(ledger, 1);
  await endAnyhow(ledger, 1);
  await ledger.setControl('b', 'paused');
  const ends: unknown[] = [];
  let progress = 0;
  for await (const event of followBatch(requestTo({ fetchesHere: true }))) {
    if (event.type === 'progress' && ++progress === 2) await ledger.closeBatch('b');
    if (event.type === 'ended') ends.push(event.why);
  }
  expect(ends).toEqual(['closed']);
});
