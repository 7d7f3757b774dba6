import { beforeEach, describe, expect, it } from '@jest/globals';
import type { Ledger } from '../../../ledger/ledger.ts';
import { aBatch, aKey, aRow, INTENT, ledgerForEachTest, redriveNow } from '../setup.ts';

/** What a person says of requests whose outcome nobody knows, and takes back. */

const WHO = 'ann@invocation';
const FILE = { key: 'b/1-speech-1.mp3', bytes: 3, sha256: 'f'.repeat(64), extension: 'mp3' };

let ledger: Ledger;

ledgerForEachTest(async (made) => {
  ledger = made;
  await ledger.createBatch(aBatch());
  // They ask for the same, so the API may make one job of their requests.
  await ledger.addRows(
    'b',
    [1, 2, 3].map((row) => ({ ...aRow(row), spec: aRow(1).spec })),
  );
  await ledger.openBatch('b', 3);
});

async function lose(row: number, take = 1): Promise<void> {
  await ledger.intend(aKey(row, 1, take), INTENT);
  const failure = { class: 'OutcomeUnknown', message: 'no answer' } as const;
  await ledger.settle(aKey(row, 1, take), { verdict: 'unknown', failure }, { outcome: 'unknown', failure });
}

const adopt = (row: number, jobId: string, take = 1): Promise<boolean> =>
  ledger.decide(aKey(row, 1, take), { type: 'adopted', jobId, who: WHO });
const release = (row: number, jobId: string): Promise<boolean> =>
  ledger.decide(aKey(row), { type: 'released', jobId, who: WHO });
const payAgain = (row: number): Promise<unknown> =>
  redriveNow(ledger, 'b', [{ row, take: 1, how: { type: 'pay', fromStep: 'speech', reason: 'resubmitted' } }]);

describe('a job that a person gave to a row', () => {
  beforeEach(async () => {
    await lose(1);
    expect(await adopt(1, 'j1')).toBe(true);
  });

  it('can be taken back while it runs: the row is unknown, and the charge uncertain, as before', async () => {
    expect(await ledger.money('b')).toMatchObject({ charged: 2.5, uncertain: 0 });
    expect(await release(1, 'j1')).toBe(true);
    const found = await ledger.readRow('b', 1);
    expect(found?.row).toMatchObject({ outcome: 'unknown', failure: { class: 'OutcomeUnknown' } });
    expect(found?.charges).toMatchObject([{ state: 'unknown', jobId: null, charged: null }]);
    expect(await ledger.money('b')).toMatchObject({ charged: 0, uncertain: 2.5 });
    expect(await adopt(2, 'j1').catch(() => 'no attempt')).toBe('no attempt');
    expect(await adopt(1, 'j2')).toBe(true);
  });

  it('can be taken back when its result is there, which is the row’s no longer; nobody goes on with the row', async () => {
    const before = (await ledger.readRow('b', 1))?.row.fence ?? 0;
    await ledger.finishJob(aKey(1), { file: FILE, credits: 4 }, { outcome: 'succeeded', file: FILE });
    expect(await release(1, 'j1')).toBe(true);
    expect((await ledger.readRow('b', 1))?.row).toMatchObject({ outcome: 'unknown', file: null, fence: before + 1 });
    expect(await ledger.releasedFiles('b')).toEqual([{ row: 1, files: [FILE] }]);
    expect(await release(1, 'j1')).toBe(false);
  });

  it('leaves its charge to the row whose own answer names it, when it is taken back', async () => {
    await ledger.intend(aKey(2), INTENT);
    await ledger.settle(aKey(2), { verdict: 'accepted', jobId: 'j1' }, { state: 'processing' });
    expect(await ledger.money('b')).toMatchObject({ charged: 2.5, uncertain: 0 });
    expect(await release(1, 'j1')).toBe(true);
    expect(await ledger.money('b')).toMatchObject({ charged: 2.5, uncertain: 2.5 });
    await ledger.finishJob(aKey(2), { file: FILE, credits: 4 }, { outcome: 'succeeded', file: FILE });
    expect(await ledger.money('b')).toMatchObject({ charged: 4, uncertain: 2.5 });
  });

  it('leaves its charge to that row by what the API said of it before', async () => {
    await ledger.intend(aKey(2), INTENT);
    await ledger.settle(aKey(2), { verdict: 'accepted', jobId: 'j1', credits: 3 }, { state: 'processing' });
    expect(await ledger.money('b')).toMatchObject({ charged: 2.5 });
    expect(await release(1, 'j1')).toBe(true);
    expect((await ledger.readRow('b', 2))?.charges).toMatchObject([{ charged: 3, chargedFrom: 'api' }]);
    expect(await ledger.money('b')).toMatchObject({ charged: 3, uncertain: 2.5 });
  });

  it('leaves its charge as the API put it', async () => {
    await ledger.intend(aKey(2), INTENT);
    await ledger.settle(aKey(2), { verdict: 'accepted', jobId: 'j1', credits: 3 }, { state: 'processing' });
    await ledger.intend(aKey(3), INTENT);
    await ledger.settle(aKey(3), { verdict: 'accepted', jobId: 'j1' }, { state: 'processing' });
    await ledger.finishJob(aKey(2), { file: FILE, credits: 4 }, { outcome: 'succeeded', file: FILE });
    expect(await release(1, 'j1')).toBe(true);
    const charges = [2, 3].map(async (row) => (await ledger.readRow('b', row))?.charges[0]);
    expect(await Promise.all(charges)).toMatchObject([
      { charged: 4, chargedFrom: 'api' },
      { charged: 0, chargedFrom: null },
    ]);
    expect(await ledger.money('b')).toMatchObject({ charged: 4, uncertain: 2.5 });
  });

  it('is on record, with who decided and when', async () => {
    await release(1, 'j1');
    expect(await ledger.decisionsOf('b', 1)).toEqual([
      { ...aKey(1), what: 'adopted', jobId: 'j1', who: WHO, madeAt: expect.any(Number) },
      { ...aKey(1), what: 'released', jobId: 'j1', who: WHO, madeAt: expect.any(Number) },
    ]);
    expect(await ledger.decisionsOf('b', 2)).toEqual([]);
  });
});

describe('a job that the API itself named', () => {
  it('is not taken back', async () => {
    await ledger.intend(aKey(1), INTENT);
    await ledger.settle(aKey(1), { verdict: 'accepted', jobId: 'j1' }, { state: 'processing' });
    expect(await release(1, 'j1')).toBe(false);
    expect((await ledger.readRow('b', 1))?.charges).toMatchObject([{ state: 'accepted', jobId: 'j1' }]);
  });
});

describe('an uncertain charge of an earlier take', () => {
  beforeEach(async () => {
    await lose(1);
    await payAgain(1);
  });

  it('can be settled as charged, and its row stays where it is', async () => {
    expect(await adopt(1, 'j1')).toBe(true);
    expect(await ledger.money('b')).toMatchObject({ charged: 2.5, uncertain: 0 });
    expect((await ledger.readRow('b', 1))?.row).toMatchObject({ outcome: null, state: 'waiting', take: 2 });
  });

  it('can be settled as not charged, but not that of the present take', async () => {
    const notCharged = (take: number): Promise<boolean> =>
      ledger.decide(aKey(1, 1, take), { type: 'not-charged', who: WHO });
    expect(await ledger.earlierUnresolved('b', 5)).toEqual({ count: 1, first: [{ row: 1, id: 'r1', take: 1 }] });
    expect(await notCharged(1)).toBe(true);
    expect(await ledger.money('b')).toMatchObject({ charged: 0, uncertain: 0 });
    expect(await ledger.earlierUnresolved('b', 5)).toEqual({ count: 0, first: [] });
    expect(await notCharged(1)).toBe(false);
    await lose(1, 2);
    expect((await ledger.earlierUnresolved('b', 5)).count).toBe(0);
    await expect(notCharged(2)).rejects.toThrow('Nothing was changed');
  });
});
