import { describe, expect, it } from '@jest/globals';
import type { LaneOwnership } from '../../../ledger/lanes/lanes.ts';
import type { Ledger } from '../../../ledger/ledger.ts';
import { aKey, claimAnew, fill, INTENT, ledgerForEachTest } from '../setup.ts';

let ledger: Ledger;

ledgerForEachTest((made) => {
  ledger = made;
});

/** Takes a lane of the batch. */
function take(lane: number, run = 'run'): Promise<LaneOwnership> {
  return ledger.acquireLane({ batch: 'b', lane, run, owner: `worker of lane ${lane}` });
}

async function rowsOf(lease: LaneOwnership, limit = 100): Promise<number[] | 'lost'> {
  const claim = await ledger.claimRows({ ...lease, limit });
  return claim === 'lost' ? claim : claim.rows.map(({ row }) => row.row);
}

describe('a lane that is taken', () => {
  it('brings its rows along, and lets its old holder claim and send nothing more', async () => {
    await fill(ledger, 3);
    const old = await take(1);
    expect(await rowsOf(old, 2)).toEqual([1, 2]);
    const before = (await ledger.readRow('b', 1))?.row.fence ?? NaN;
    const next = await take(1);
    expect(next.token).toBeGreaterThan(old.token);
    expect(await rowsOf(old)).toBe('lost');
    expect(await ledger.intend(aKey(1), { ...INTENT, fence: before })).toMatchObject({ type: 'blocked' });
    expect(await rowsOf(next)).toEqual([1, 2, 3]);
  });

  it('leaves the rows of other lanes of its run alone, and frees those of an earlier run', async () => {
    await fill(ledger, 4);
    expect(await rowsOf(await take(1), 2)).toEqual([1, 2]);
    expect(await rowsOf(await take(2), 1)).toEqual([3]);
    expect(await rowsOf(await take(2))).toEqual([3, 4]);
    expect(await rowsOf(await take(1, 'next run'))).toEqual([1, 2, 3, 4]);
    expect(await ledger.laneOwners('b')).toEqual([{ lane: 1, owner: 'worker of lane 1' }]);
  });

  it('lets an answer that its old holder still gets settle its attempt', async () => {
    await fill(ledger, 1);
    await claimAnew(ledger);
    await ledger.intend(aKey(1), INTENT);
    await take(1);
    expect(await ledger.settle(aKey(1), { verdict: 'accepted', jobId: 'j' }, { state: 'processing' })).toMatchObject({
      settled: true,
    });
  });
});

describe('a lane that was dissolved with its run', () => {
  it('has nothing to claim and nothing to give up', async () => {
    await fill(ledger, 2);
    const [first, second] = [await take(1, 'old run'), await take(2, 'old run')];
    const next = await take(1, 'new run');
    for (const gone of [first, second]) {
      expect(await rowsOf(gone)).toBe('lost');
      await ledger.releaseLane(gone);
    }
    expect(await rowsOf(next)).toEqual([1, 2]);
  });
});

describe('a lane that is given up', () => {
  it('frees its rows for the next claim of any lane, and has no owner', async () => {
    await fill(ledger, 2);
    const lease = await take(1);
    await rowsOf(lease);
    await ledger.releaseLane(lease);
    expect(await ledger.laneOwners('b')).toEqual([]);
    expect(await rowsOf(lease)).toBe('lost');
    expect(await rowsOf(await take(2))).toEqual([1, 2]);
  });

  it('stays with whoever has taken it meanwhile', async () => {
    await fill(ledger, 2);
    const old = await take(1);
    const next = await take(1);
    expect(await rowsOf(next, 1)).toEqual([1]);
    await ledger.releaseLane(old);
    expect(await rowsOf(next)).toEqual([2]);
  });

  it('never gets a token again that somebody had', async () => {
    await fill(ledger, 1);
    const tokens: number[] = [];
    for (const run of ['a', 'b', 'b', 'c']) {
      const lease = await take(1, run);
      tokens.push(lease.token);
      await ledger.releaseLane(lease);
    }
    expect(new Set(tokens).size).toBe(tokens.length);
    expect(tokens).toEqual(tokens.toSorted((a, b) => a - b));
  });
});

describe('workers', () => {
  const me = { owner: 'w1', apiUrl: 'http://127.0.0.1/api/open/v1', account: 'u1' };

  it('live as long as they say so, each for its own account', async () => {
    await ledger.beat(me);
    await ledger.beat(me);
    await ledger.beat({ ...me, owner: 'w2' });
    await ledger.beat({ ...me, owner: 'w3', account: 'u2' });
    expect(await ledger.livingWorkers(me.apiUrl, 'u1')).toEqual(['w1', 'w2']);
    await ledger.forgetWorkers({ owner: 'w1' });
    expect(await ledger.livingWorkers(me.apiUrl, 'u1')).toEqual(['w2']);
    await ledger.forgetWorkers('all');
    expect(await ledger.livingWorkers(me.apiUrl, 'u1')).toEqual([]);
  });
});
