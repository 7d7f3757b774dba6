import { beforeEach, describe, expect, it } from '@jest/globals';
import type { LaneOwnership } from '../../../ledger/lanes/lanes.ts';
import type { Ledger } from '../../../ledger/ledger.ts';
import { FILE, upTo } from '../rows/rows-for-each.ts';
import { aKey, claimAnew, fill, INTENT, ledgerForEachTest, redriveNow } from '../setup.ts';

let ledger: Ledger;

ledgerForEachTest((made) => {
  ledger = made;
});

describe('claimRows', () => {
  const leases = new Map<number, LaneOwnership>();

  /** Claims for a lane of one run, which is taken once. */
  async function claim({
    lane = 1,
    limit = 2,
    begun = limit,
  }: { lane?: number; limit?: number; begun?: number } = {}): Promise<[number[], boolean]> {
    const lease = leases.get(lane) ?? (await ledger.acquireLane({ batch: 'b', run: 'run', lane, owner: `w${lane}` }));
    leases.set(lane, lease);
    const reply = await ledger.claimRows({ ...lease, limit, begun });
    if (reply === 'lost') throw new Error('the lane was lost');
    return [reply.rows.map(({ row }) => row.row), reply.exhausted];
  }

  beforeEach(() => {
    leases.clear();
  });

  it('gives every row to one claim, in order, and says when none is left', async () => {
    await fill(ledger, 5);
    expect(await claim()).toEqual([[1, 2], false]);
    expect(await claim({ lane: 2 })).toEqual([[3, 4], false]);
    expect(await claim()).toEqual([[5], true]);
    expect(await claim()).toEqual([[], true]);
  });

  it('says at once that none is left when the last was taken', async () => {
    await fill(ledger, 2);
    expect(await claim()).toEqual([[1, 2], true]);
  });

  it('brings the attempts of each row', async () => {
    await fill(ledger, 1);
    await ledger.intend(aKey(1), INTENT);
    expect((await claimAnew(ledger)).rows[0]?.charges).toHaveLength(1);
  });

  it('gives a lane without room what needs none: running jobs, results on their way, requests on the wire or in doubt', async () => {
    await fill(ledger, 7);
    for (const row of [2, 3, 4, 5, 7]) await ledger.intend(aKey(row), INTENT);
    await ledger.settle(aKey(7), { verdict: 'accepted', jobId: 'j7' }, { state: 'processing' });
    await ledger.changeRunning(aKey(7), { state: 'fetching' });
    await ledger.settle(aKey(3), { verdict: 'accepted', jobId: 'j3' }, { state: 'processing' });
    await ledger.settle(aKey(4), { verdict: 'unknown' }, { state: 'submitting' });
    await ledger.settle(aKey(5), { verdict: 'accepted', jobId: 'j5' }, { state: 'processing' });
    await ledger.finishJob(aKey(5), { file: FILE }, { state: 'waiting' });
    expect(await claim({ limit: 0 })).toEqual([[2, 3, 4, 7], false]);
    expect(await claim({ limit: 0 })).toEqual([[], false]);
    expect(await claim({ limit: 3 })).toEqual([[1, 5, 6], true]);
  });

  it('gives first what the budget holds room for, also to a lane that may begin nothing new', async () => {
    await fill(ledger, 5, 'b', 'dub');
    await ledger.tune('b', { budget: 1_000 });
    for (const row of [3, 5]) {
      await ledger.intend(aKey(row), { ...INTENT, quotedRest: 8 });
      await ledger.settle(aKey(row), { verdict: 'accepted', jobId: `j${row}` }, { state: 'processing' });
      await ledger.finishJob(aKey(row), { file: FILE }, { state: 'waiting' });
    }
    expect(await claim({ limit: 0, begun: 0 })).toEqual([[], false]);
    expect(await claim({ limit: 0, begun: 1 })).toEqual([[3], false]);
    expect(await claim({ limit: 2 })).toEqual([[5, 1], false]);
    expect(await claim({ limit: 2, begun: 0 })).toEqual([[2, 4], true]);
  });

  it('gives 200 rows under way at once, and says that there are more', async () => {
    const many = { ...INTENT, maxSending: 1_000 };
    await fill(ledger, 401);
    await Promise.all(upTo(400).map((row) => ledger.intend(aKey(row), many)));
    expect(await claim({ limit: 1 })).toEqual([[...upTo(200), 401], false]);
    expect(await claim({ limit: 1 })).toEqual([upTo(400).slice(200), true]);
    await ledger.releaseLane({ batch: 'b', lane: 1, token: leases.get(1)?.token ?? NaN });
    leases.clear();
    await ledger.giveUp(aKey(401), { outcome: 'cancelled' });
    expect(await claim({ limit: 1 })).toEqual([upTo(200), false]);
  });

  it('gives no room to what a person resubmitted: its old answer may still come, but it is to be paid for', async () => {
    await fill(ledger, 4);
    for (const row of [1, 2, 3]) await ledger.intend(aKey(row), INTENT);
    await ledger.settle(aKey(1), { verdict: 'unknown' }, { outcome: 'unknown' });
    await ledger.settle(aKey(2), { verdict: 'accepted', jobId: 'j2' }, { state: 'processing' });
    await ledger.changeRunning(aKey(2), { outcome: 'overdue' });
    const how = { type: 'pay', fromStep: 'speech', reason: 'resubmitted' } as const;
    await redriveNow(ledger, 'b', [
      { row: 1, take: 1, how },
      { row: 2, take: 1, how },
    ]);
    expect(await claim({ limit: 0 })).toEqual([[3], false]);
    expect(await claim({ limit: 3 })).toEqual([[1, 2, 4], true]);
  });

  it('gives a row out under a new number each time, and lets nobody go on with an older one', async () => {
    await fill(ledger, 1);
    const holdOf = async (): Promise<number> => (await ledger.readRow('b', 1))?.row.fence ?? NaN;
    await claim();
    const first = await holdOf();
    await ledger.giveUp(aKey(1), { outcome: 'failed' });
    await redriveNow(ledger, 'b', [{ row: 1, take: 1, how: { type: 'pay', fromStep: 'speech', reason: 'redrive' } }]);
    const key = aKey(1, 1, 2);
    expect(await ledger.intend(key, { ...INTENT, fence: first })).toMatchObject({ type: 'blocked' });
    await claim();
    const second = await holdOf();
    expect(second).toBeGreaterThan(first);
    expect(await ledger.intend(key, { ...INTENT, fence: first })).toMatchObject({ type: 'blocked' });
    expect(await ledger.intend(key, { ...INTENT, fence: second })).toMatchObject({ type: 'go' });
    // An answer that comes after all takes the row back, too.
    await ledger.settle(key, { verdict: 'unknown' }, { outcome: 'unknown' });
    await ledger.settle(key, { verdict: 'accepted', jobId: 'j' }, { state: 'processing' });
    expect(await holdOf()).toBeGreaterThan(second);
  });
});
