import { beforeEach, describe, expect, it } from '@jest/globals';
import Database from 'libsql';
import type { LaneOwnership } from '../../ledger/lanes.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { RowRecord } from '../../ledger/record-types.ts';
import { jobsIn } from '../../policy/job-times.ts';
import { aBatch, aKey, aRow, claimAnew, fill, INTENT, ledgerForEachTest, redriveNow } from './setup.ts';

const FILE = { key: 'b/1-speech-1.mp3', bytes: 3, sha256: 'ab', extension: 'mp3' };

let ledger: Ledger;

ledgerForEachTest((made) => {
  ledger = made;
});

async function numbers(scan: AsyncIterable<{ row: RowRecord }>): Promise<number[]> {
  const found: number[] = [];
  for await (const { row } of scan) found.push(row.row);
  return found;
}

function upTo(n: number): number[] {
  return Array.from({ length: n }, (_, i) => i + 1);
}

describe('batches', () => {
  it('are made once, filled while they load, then opened', async () => {
    await ledger.createBatch(aBatch());
    await expect(ledger.createBatch(aBatch())).rejects.toThrow('a batch "b"');
    await ledger.addRows('b', [aRow(1), aRow(2)]);
    await ledger.addRows('b', [aRow(3)]);
    expect(await ledger.findBatch('b')).toMatchObject({ ...aBatch(), state: 'loading', control: 'running', rows: 3 });
    await ledger.openBatch('b', 3);
    await ledger.openBatch('b', 3);
    expect(await ledger.findBatch('b')).toMatchObject({ state: 'open', startedAt: null, closedAt: null });
    await expect(ledger.addRows('b', [aRow(4)])).rejects.toThrow('is open');
    await expect(ledger.openBatch('x', 0)).rejects.toThrow('no batch "x"');
    expect(await ledger.findBatch('x')).toBeUndefined();
    expect((await ledger.listBatches()).map(({ name }) => name)).toEqual(['b']);
  });

  it('open only with all their rows', async () => {
    await ledger.createBatch(aBatch());
    await ledger.addRows('b', [aRow(1)]);
    await expect(ledger.openBatch('b', 2)).rejects.toThrow('has 1 of 2 rows in the ledger');
    expect(await ledger.findBatch('b')).toMatchObject({ state: 'loading' });
  });

  it('take no id twice, and then none of the rows given with it', async () => {
    await ledger.createBatch(aBatch());
    await ledger.addRows('b', [aRow(1)]);
    await expect(ledger.addRows('b', [aRow(2), { ...aRow(3), id: 'r1' }])).rejects.toThrow('one id');
    expect(await ledger.findBatch('b')).toMatchObject({ rows: 1 });
    expect(await ledger.counts('b')).toMatchObject({ total: 1 });
  });

  it('are discarded only while they load', async () => {
    await ledger.createBatch(aBatch());
    await ledger.addRows('b', [aRow(1)]);
    await ledger.discardLoading('b');
    expect(await ledger.findBatch('b')).toBeUndefined();
    expect(await ledger.readRow('b', 1)).toBeUndefined();
    await fill(ledger, 1);
    await ledger.discardLoading('b');
    await ledger.discardLoading('x');
    expect(await ledger.findBatch('b')).toBeDefined();
  });

  it('are discarded some rows at a time, so that nobody waits for the lock until a large one is gone', async () => {
    await ledger.createBatch(aBatch());
    const rows = Array.from({ length: 2_500 }, (_, at) => aRow(at + 1));
    await ledger.addRows('b', rows);
    const ended: string[] = [];
    await Promise.all([
      ledger.discardLoading('b').then(() => ended.push('discarded')),
      ledger.createBatch(aBatch('c')).then(() => ended.push('another write')),
    ]);
    expect(ended).toEqual(['another write', 'discarded']);
    expect(await ledger.counts('b')).toMatchObject({ total: 0 });
    expect(await ledger.findBatch('b')).toBeUndefined();
  });

  it('never take stopping back, and keep the reason of a pause until they run again', async () => {
    await fill(ledger, 1);
    const reason = { class: 'OutOfCredits', message: 'no credits' } as const;
    expect(await ledger.setControl('b', 'paused', reason)).toBe('paused');
    expect(await ledger.setControl('b', 'paused')).toBe('paused');
    expect(await ledger.findBatch('b')).toMatchObject({ pauseReason: reason });
    expect(await ledger.setControl('b', 'running')).toBe('running');
    expect(await ledger.findBatch('b')).toMatchObject({ control: 'running', pauseReason: null });
    expect(await ledger.setControl('b', 'stopping')).toBe('stopping');
    expect(await ledger.setControl('b', 'running')).toBe('stopping');
  });

  it('close when no row is open, and then keep their control', async () => {
    await fill(ledger, 2);
    await ledger.giveUp(aKey(1), { outcome: 'failed' });
    expect(await ledger.closeBatch('b')).toBe(1);
    expect(await ledger.findBatch('b')).toMatchObject({ state: 'open' });
    await ledger.giveUp(aKey(2), { outcome: 'succeeded', file: FILE });
    expect(await ledger.closeBatch('b')).toBe(0);
    const closed = await ledger.findBatch('b');
    expect(closed?.state).toBe('closed');
    expect(closed?.closedAt).not.toBeNull();
    expect(await ledger.setControl('b', 'paused')).toBe('running');
  });
});

describe('rows', () => {
  it('come back as they were given', async () => {
    await fill(ledger, 1);
    const found = await ledger.readRow('b', 1);
    expect(found?.charges).toEqual([]);
    expect(found?.row).toMatchObject({
      ...aRow(1),
      kind: 'tts',
      state: 'waiting',
      outcome: null,
      take: 1,
      extraFiles: [],
    });
    expect(await ledger.readRow('b', 2)).toBeUndefined();
    expect(await ledger.findRowById('b', 'r1')).toBe(1);
    expect(await ledger.findRowById('b', 'r2')).toBeUndefined();
  });

  it('end only at the take that the caller knows', async () => {
    await fill(ledger, 1);
    await ledger.giveUp(aKey(1, 1, 2), { outcome: 'failed' });
    expect((await ledger.readRow('b', 1))?.row.outcome).toBeNull();
  });

  it('end once', async () => {
    await fill(ledger, 1);
    await ledger.intend(aKey(1), INTENT);
    await ledger.settle(aKey(1), { verdict: 'accepted', jobId: 'j' }, { state: 'processing' });
    await ledger.changeRunning(aKey(1), { state: 'fetching' });
    await ledger.changeRunning(aKey(1), { outcome: 'succeeded', file: FILE, extraFiles: [FILE], text: 'hello' });
    await ledger.changeRunning(aKey(1), { outcome: 'failed' });
    await ledger.changeRunning(aKey(1), { state: 'waiting' });
    const row = (await ledger.readRow('b', 1))?.row;
    expect(row).toMatchObject({
      state: 'fetching',
      outcome: 'succeeded',
      file: FILE,
      extraFiles: [FILE],
      text: 'hello',
    });
    expect(row?.endedAt).not.toBeNull();
  });

  it('list charges in the order of the chain', async () => {
    await fill(ledger, 1, 'b', 'dub');
    await ledger.intend(aKey(1), INTENT);
    await ledger.settle(aKey(1), { verdict: 'accepted', jobId: 'j' }, { state: 'processing' });
    await ledger.finishJob(aKey(1), {}, { state: 'waiting' });
    await ledger.intend(aKey(1, 1, 1, 'lip-sync'), INTENT);
    const found = await ledger.readRow('b', 1);
    expect(found?.charges.map(({ step }) => step)).toEqual(['speech', 'lip-sync']);
  });
});

describe('claimRows', () => {
  const leases = new Map<number, LaneOwnership>();

  /** Claims for a lane of one run, which is taken once. */
  async function claim({ lane = 1, limit = 2 } = {}): Promise<[number[], boolean]> {
    const lease = leases.get(lane) ?? (await ledger.acquireLane({ batch: 'b', run: 'run', lane, owner: `w${lane}` }));
    leases.set(lane, lease);
    const reply = await ledger.claimRows({ ...lease, limit });
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

describe('cancelRest', () => {
  it('ends what was never sent or refused, and leaves what is on the wire or runs', async () => {
    await fill(ledger, 6);
    for (const row of [2, 3, 4, 5]) await ledger.intend(aKey(row), INTENT);
    await ledger.settle(aKey(3), { verdict: 'accepted', jobId: 'j' }, { state: 'processing' });
    await ledger.settle(aKey(4), { verdict: 'not-accepted' }, { state: 'waiting' });
    // A chain whose first job is finished and whose second was not sent yet.
    await ledger.settle(aKey(5), { verdict: 'accepted', jobId: 'j5' }, { state: 'processing' });
    await ledger.finishJob(aKey(5), { file: FILE }, { state: 'waiting' });
    await ledger.giveUp(aKey(6), { outcome: 'failed' });
    expect(await ledger.cancelRest('b')).toBe(3);
    expect(await ledger.cancelRest('b')).toBe(0);
    const outcomes = await Promise.all(upTo(6).map(async (row) => (await ledger.readRow('b', row))?.row.outcome));
    expect(outcomes).toEqual(['cancelled', null, null, 'cancelled', 'cancelled', 'failed']);
  });
});

describe('counts', () => {
  it('add up', async () => {
    await fill(ledger, 4);
    await ledger.intend(aKey(1), INTENT);
    await ledger.giveUp(aKey(2), { outcome: 'unknown' });
    await ledger.giveUp(aKey(3), { outcome: 'succeeded' });
    expect(await ledger.counts('b')).toEqual({
      total: 4,
      notChosen: 0,
      states: { waiting: 1, submitting: 1, processing: 0, fetching: 0, verifying: 0 },
      outcomes: { succeeded: 1, cached: 0, failed: 0, unfit: 0, skipped: 0, unknown: 1, overdue: 0, cancelled: 0 },
    });
  });
});

describe('scanRows', () => {
  it('walks all rows in manifest order, over many pages, with their charges', async () => {
    await fill(ledger, 1203);
    await ledger.intend(aKey(700), INTENT);
    expect(await numbers(ledger.scanRows('b'))).toEqual(upTo(1203));
    for await (const { row, charges } of ledger.scanRows('b')) expect(charges).toHaveLength(row.row === 700 ? 1 : 0);
  });

  it('filters by outcome and by the time of the end', async () => {
    await fill(ledger, 6);
    for (const row of [5, 2, 4]) await ledger.giveUp(aKey(row), { outcome: row === 4 ? 'unknown' : 'failed' });
    expect(await numbers(ledger.scanRows('b', { outcome: 'failed' }))).toEqual([2, 5]);
    expect((await numbers(ledger.scanRows('b', { endedSince: 0 }))).sort()).toEqual([2, 4, 5]);
    expect(await numbers(ledger.scanRows('b', { endedSince: 0, outcome: 'unknown' }))).toEqual([4]);
    const endedAt = (await ledger.readRow('b', 5))?.row.endedAt ?? 0;
    expect(await numbers(ledger.scanRows('b', { endedSince: endedAt }))).toContain(5);
    expect(await numbers(ledger.scanRows('b', { endedSince: Date.now() + 60_000 }))).toEqual([]);
  });

  it('reads what ended in the order of its end, each row once, also where many ended at one time', async () => {
    await fill(ledger, 1300);
    const raw = new Database(ledger.place);
    raw.exec(`update rows set outcome = 'failed', ended_at = 1000 - (row % 2) where row <= 1200`);
    raw.close();
    const odd = upTo(1200).filter((row) => row % 2 === 1);
    const even = upTo(1200).filter((row) => row % 2 === 0);
    expect(await numbers(ledger.scanRows('b', { endedSince: 0 }))).toEqual([...odd, ...even]);
    expect(await numbers(ledger.scanRows('b', { endedSince: 1000 }))).toEqual(even);
  });
});

describe('updateLimiter', () => {
  it('keeps a state per scope, changed by one at a time', async () => {
    const add = async (scope: string): Promise<number> =>
      Math.round(jobsIn(await ledger.updateLimiter(scope, { type: 'learn', spans: [[100, 100]] })));
    const results = await Promise.all(upTo(20).map(() => add('a')));
    expect(results.sort((x, y) => x - y)).toEqual(upTo(20));
    expect(await add('b')).toBe(1);
  });
});
