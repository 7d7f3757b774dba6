import { beforeEach, describe, expect, it } from '@jest/globals';
import type { LaneOwnership } from '../../../ledger/lanes/lanes.ts';
import {
  accept,
  answer,
  ask,
  FILE,
  finish,
  giveUpWaiting,
  lose,
  LOST,
  redrive,
  RESUBMIT,
  send,
  WAITING,
} from '../actions.ts';
import { chargesOf, rowOf } from '../readings.ts';
import { aDub, aKey, claimAnew, ledger, ledgerForEachTest, load, upTo } from '../setup.ts';
import { inside } from '../inside.ts';

ledgerForEachTest();

/** Takes a lane of the batch. */
function take(lane: number, run = 'run'): Promise<LaneOwnership> {
  return ledger.acquireLane({ batch: 'b', lane, run, owner: `worker of lane ${lane}` });
}

async function rowsOf(lease: LaneOwnership, limit = 100): Promise<number[] | 'lost'> {
  const claim = await ledger.claimRows({ ...lease, limit });
  return claim === 'lost' ? claim : claim.rows.map(({ row }) => row.row);
}

describe('a lane that is taken', () => {
  it('brings its rows along, and lets its old holder claim and send nothing more, but settle what it still hears', async () => {
    await load(3);
    const old = await take(1);
    expect(await rowsOf(old, 2)).toEqual([1, 2]);
    await send(2);
    const { fence } = await rowOf(1);
    const next = await take(1);
    expect(next.token).toBeGreaterThan(old.token);
    expect(await rowsOf(old)).toBe('lost');
    expect(await ask(1, { fence })).toBe('blocked');
    expect(await answer(2)).toBe(true);
    expect(await rowsOf(next)).toEqual([2, 1, 3]);
  });

  it('leaves the rows of other lanes of its run alone, and frees those of an earlier run, whose lanes are no more', async () => {
    await load(4);
    const first = await take(1);
    expect(await rowsOf(first, 2)).toEqual([1, 2]);
    expect(await rowsOf(await take(2), 1)).toEqual([3]);
    const second = await take(2);
    expect(await rowsOf(second)).toEqual([3, 4]);
    const next = await take(1, 'next run');
    for (const gone of [first, second]) {
      expect(await rowsOf(gone)).toBe('lost');
      await ledger.releaseLane(gone);
    }
    expect(await rowsOf(next)).toEqual([1, 2, 3, 4]);
    expect(await ledger.laneOwners('b')).toEqual([{ lane: 1, owner: 'worker of lane 1' }]);
  });
});

describe('a lane that is given up', () => {
  it('frees its rows for the next claim of any lane, and has no owner', async () => {
    await load(2);
    const lease = await take(1);
    await rowsOf(lease);
    await ledger.releaseLane(lease);
    expect(await ledger.laneOwners('b')).toEqual([]);
    expect(await rowsOf(lease)).toBe('lost');
    expect(await rowsOf(await take(2))).toEqual([1, 2]);
  });

  it('stays with whoever has taken it meanwhile', async () => {
    await load(2);
    const old = await take(1);
    const next = await take(1);
    expect(await rowsOf(next, 1)).toEqual([1]);
    await ledger.releaseLane(old);
    expect(await rowsOf(next)).toEqual([2]);
  });

  it('never gets a token again that somebody had', async () => {
    await load(1);
    const tokens: number[] = [];
    for (const run of ['a', 'b', 'b', 'c']) {
      const lease = await take(1, run);
      tokens.push(lease.token);
      await ledger.releaseLane(lease);
    }
    expect(tokens).toEqual([...new Set(tokens)].toSorted((a, b) => a - b));
  });
});

it('workers live as long as they say so, each for its own account', async () => {
  const { apiUrl, ...me } = { owner: 'w1', apiUrl: 'http://127.0.0.1/api/open/v1', account: 'u1' };
  const others = [me, { ...me, owner: 'w2' }, { owner: 'w3', account: 'u2' }];
  for (const one of [me, ...others]) await ledger.beat({ ...one, apiUrl });
  expect(await ledger.livingWorkers(apiUrl, 'u1')).toEqual(['w1', 'w2']);
  expect(await Promise.all(['w1', 'w4'].map((owner) => ledger.workerLiveness(owner)))).toEqual(['alive', 'gone']);
  await ledger.forgetWorkers({ owner: 'w1' });
  expect(await ledger.workerLiveness('w1')).toBe('gone');
  expect(await ledger.livingWorkers(apiUrl, 'u1')).toEqual(['w2']);
  await ledger.forgetWorkers('all');
  expect(await ledger.livingWorkers(apiUrl, 'u1')).toEqual([]);
});

it('workers that wait for the store count while they live; the others leave nothing', async () => {
  const me = { owner: 'w1', apiUrl: 'http://127.0.0.1/api/open/v1', account: 'u1' };
  for (const owner of ['w1', 'w2', 'w3']) await ledger.beat({ ...me, owner });
  const waits = (): Promise<unknown> => ledger.storeWaits(me.apiUrl, me.account);
  expect(await waits()).toBeUndefined();
  const first = { since: 1, problem: 'gone' };
  await ledger.noteStoreWait('w1', { since: 2, problem: 'away' });
  await ledger.noteStoreWait('w2', first);
  expect(await waits()).toEqual({ workers: 2, isAll: false, first });
  await ledger.forgetWorkers({ owner: 'w3' });
  expect(await waits()).toEqual({ workers: 2, isAll: true, first });
  expect(await ledger.storeWaits(me.apiUrl, 'u2')).toBeUndefined();
  // Killed, and forgotten by whoever has seen it last.
  await inside(ledger, (db) => db.deleteFrom('workers').where('owner', '=', 'w2').execute());
  expect(await waits()).toMatchObject({ workers: 1, first: { problem: 'away' } });
  await ledger.noteStoreWait('w1', { since: 3, problem: 'away again' });
  const left = await inside(ledger, (db) =>
    db.selectFrom('facts').select('name').where('name', 'like', 'store-wait:%').execute(),
  );
  expect(left).toEqual([{ name: 'store-wait:w1' }]);
  await ledger.forgetWorkers('all');
  expect(await waits()).toBeUndefined();
});

it('a worker whose last report was made by a clock that is ahead is not taken for alive until it reports again', async () => {
  const me = { owner: 'w1', apiUrl: 'http://127.0.0.1/api/open/v1', account: 'u1' };
  const standing = async (): Promise<unknown> => [
    await ledger.livingWorkers(me.apiUrl, me.account),
    await ledger.workerLiveness('w1'),
  ];
  await ledger.beat(me);
  // As by a server whose place another one took.
  const byMs = (ms: number): Promise<unknown> =>
    inside(ledger, (db) =>
      db
        .updateTable('workers')
        .set((eb) => ({ seen_at: eb('seen_at', '+', ms) }))
        .execute(),
    );
  await byMs(1_000);
  expect(await standing()).toEqual([['w1'], 'alive']);
  await byMs(600_000);
  expect(await standing()).toEqual([[], 'silent']);
  await ledger.beat(me);
  expect(await standing()).toEqual([['w1'], 'alive']);
});

it('workers that do a part of the work count for that part only, until they are forgotten', async () => {
  const of = { apiUrl: 'http://127.0.0.1/api/open/v1', account: 'u1' };
  await ledger.beat({ owner: 'all', ...of });
  for (const only of ['submit', 'download', 'submit'] as const) await ledger.beat({ owner: only, ...of, only });
  const living = async (duty?: 'submit' | 'download'): Promise<readonly string[]> =>
    [...(await ledger.livingWorkers(of.apiUrl, of.account, duty))].sort();
  expect(await living()).toEqual(['all', 'download', 'submit']);
  expect(await living('submit')).toEqual(['all', 'submit']);
  expect(await living('download')).toEqual(['all', 'download']);
  await ledger.forgetWorkers({ owner: 'download' });
  expect([await living(), await living('download')]).toEqual([['all', 'submit'], ['all']]);
});

describe('claimRows', () => {
  const leases = new Map<number, LaneOwnership>();
  beforeEach(() => {
    leases.clear();
  });

  /** Claims for a lane of one run, which is taken once. */
  async function claim(limit = 2, { lane = 1, maxReserved = limit } = {}): Promise<[number[], boolean]> {
    const lease = leases.get(lane) ?? (await take(lane));
    leases.set(lane, lease);
    const reply = await ledger.claimRows({ ...lease, limit, maxReserved });
    if (reply === 'lost') throw new Error('the lane was lost');
    return [reply.rows.map(({ row }) => row.row), reply.exhausted];
  }

  it('gives every row to one claim, in order, with its attempts, and says when none is left', async () => {
    await load(6);
    await send(1);
    expect((await claimAnew(ledger)).rows[0]?.charges).toEqual(await chargesOf(1));
    await ledger.releaseLane(await take(1));
    expect(await claim(2)).toEqual([[1, 2, 3], false]);
    expect(await claim(2, { lane: 2 })).toEqual([[4, 5], false]);
    expect(await claim()).toEqual([[6], true]);
    expect(await claim()).toEqual([[], true]);
  });

  it('gives a lane without room what needs none: running jobs, results on their way, requests on the wire or in doubt', async () => {
    await load(7);
    for (const row of [3, 5, 7]) await accept(row);
    await send(2);
    await ledger.changeRunning(aKey(7), { state: 'fetching' });
    await lose(4, LOST, { state: 'submitting' });
    await finish(5, { file: FILE }, WAITING);
    expect(await claim(0)).toEqual([[2, 3, 4, 7], false]);
    expect(await claim(0)).toEqual([[], false]);
    expect(await claim(3)).toEqual([[1, 5, 6], true]);
  });

  it('gives first what the budget holds room for, also to a lane that may begin nothing new', async () => {
    await load(
      upTo(5).map((row) => aDub(row)),
      { settings: { budget: 1_000 } },
    );
    for (const row of [3, 5]) {
      await accept(row, {}, { quotedRest: 8 });
      await finish(row, { file: FILE }, WAITING);
    }
    expect(await claim(0, { maxReserved: 0 })).toEqual([[], false]);
    expect(await claim(0, { maxReserved: 1 })).toEqual([[3], false]);
    expect(await claim(2)).toEqual([[5, 1], false]);
    expect(await claim(2, { maxReserved: 0 })).toEqual([[2, 4], true]);
  });

  it('gives 200 rows under way at once, and says that there are more', async () => {
    await load(401);
    await Promise.all(upTo(400).map((row) => send(row, { maxSending: 1_000 })));
    expect(await claim(1)).toEqual([[...upTo(200), 401], false]);
    expect(await claim(1)).toEqual([upTo(400).slice(200), true]);
    await ledger.releaseLane({ batch: 'b', lane: 1, token: leases.get(1)?.token ?? NaN });
    leases.clear();
    await ledger.giveUp(aKey(401), { outcome: 'cancelled' });
    expect(await claim(1)).toEqual([upTo(200), false]);
  });

  it('gives no room to what a person resubmitted: its old answer may still come, but it is to be paid for', async () => {
    await load(4);
    await lose(1);
    await accept(2);
    await giveUpWaiting(2);
    await send(3);
    await redrive([1, 2], RESUBMIT);
    expect(await claim(0)).toEqual([[3], false]);
    expect(await claim(3)).toEqual([[1, 2, 4], true]);
  });

  it('gives a row out under a new number each time, and lets nobody go on with an older one', async () => {
    await load(1);
    await claim();
    const first = (await rowOf(1)).fence;
    await ledger.giveUp(aKey(1), { outcome: 'failed' });
    await redrive(1);
    const key = aKey(1, 1, 2);
    expect(await ask(key, { fence: first })).toBe('blocked');
    await claim();
    const second = (await rowOf(1)).fence;
    expect(second).toBeGreaterThan(first);
    expect(await ask(key, { fence: first })).toBe('blocked');
    // An answer that comes after all takes the row back, too.
    await lose(key, LOST, { outcome: 'unknown' }, { fence: second });
    await answer(key);
    expect((await rowOf(1)).fence).toBeGreaterThan(second);
  });
});
