import { beforeEach, describe, expect, it } from '@jest/globals';
import type { Outcome } from '../../../contract/outcomes.ts';
import {
  accept,
  adopt,
  FAILED,
  fail,
  FILE,
  finish,
  lose,
  redrive,
  release,
  RESUBMIT,
  succeed,
  WHO,
} from '../actions.ts';
import { chargesOf, money, rowOf } from '../readings.ts';
import { aKey, aRow, ledger, ledgerForEachTest, load, upTo } from '../setup.ts';
import { ANN } from '../../support/ann.ts';

/** What a person says of requests whose outcome nobody knows, and takes back. */

// They ask for the same, so the API may make one job of their requests.
ledgerForEachTest(() => load(upTo(3).map((row) => ({ ...aRow(row), spec: aRow(1).spec }))));

async function expectMoney(charged: number, uncertain: number): Promise<void> {
  expect(await money()).toMatchObject({ charged, uncertain });
}

describe('a job that a person gave to a row', () => {
  beforeEach(async () => {
    await lose(1);
    expect(await adopt(1, 'j1')).toBe(true);
  });

  it('can be taken back while it runs: the row is unknown, and the charge uncertain, as before', async () => {
    await expectMoney(2.5, 0);
    expect(await release(1, 'j1')).toBe(true);
    expect(await rowOf(1)).toMatchObject({ outcome: 'unknown', failure: { class: 'OutcomeUnknown' } });
    expect(await chargesOf(1)).toMatchObject([{ state: 'unknown', jobId: null, charged: null }]);
    await expectMoney(0, 2.5);
    expect(await adopt(1, 'j2')).toBe(true);
    // Nor is it lost for a row that was not sent.
    expect(await adopt(2, 'j1')).toBe(true);
  });

  it('can be taken back when its result is there, which is the row’s no longer; nobody goes on with the row', async () => {
    const { fence } = await rowOf(1);
    await finish(1, { file: FILE, credits: 4 });
    expect(await release(1, 'j1')).toBe(true);
    expect(await rowOf(1)).toMatchObject({ outcome: 'unknown', file: null, fence: fence + 1 });
    expect(await ledger.releasedFiles('b')).toEqual([{ row: 1, files: [FILE] }]);
    expect(await release(1, 'j1')).toBe(false);
  });

  it('leaves its charge to the row whose own answer names it, when it is taken back', async () => {
    await accept(2, { jobId: 'j1' });
    await expectMoney(2.5, 0);
    expect(await release(1, 'j1')).toBe(true);
    await expectMoney(2.5, 2.5);
    await finish(2, { file: FILE, credits: 4 });
    await expectMoney(4, 2.5);
  });

  it('leaves its charge to that row by what the API said of it before', async () => {
    await accept(2, { jobId: 'j1', credits: 3 });
    await expectMoney(2.5, 0);
    expect(await release(1, 'j1')).toBe(true);
    expect(await chargesOf(2)).toMatchObject([{ charged: 3, chargedFrom: 'api' }]);
    await expectMoney(3, 2.5);
  });

  it('leaves its charge as the API put it', async () => {
    await accept(2, { jobId: 'j1', credits: 3 });
    await accept(3, { jobId: 'j1' });
    await finish(2, { file: FILE, credits: 4 });
    expect(await release(1, 'j1')).toBe(true);
    expect(await chargesOf(2)).toMatchObject([{ charged: 4, chargedFrom: 'api' }]);
    expect(await chargesOf(3)).toMatchObject([{ charged: 0, chargedFrom: null }]);
    await expectMoney(4, 2.5);
  });

  it('is on record, with who decided and when', async () => {
    await release(1, 'j1');
    const decision = { ...aKey(1), jobId: 'j1', who: WHO, madeAt: expect.any(Number) };
    const decisions = [
      { ...decision, what: 'adopted' },
      { ...decision, what: 'released' },
    ];
    expect(await ledger.decisionsOf('b', 1)).toEqual(decisions);
    expect(await ledger.decisionsOf('b', 2)).toEqual([]);
  });
});

it('a job that the API itself named is not taken back', async () => {
  await accept(1);
  expect(await release(1, 'j1')).toBe(false);
  expect(await chargesOf(1)).toMatchObject([{ state: 'accepted', jobId: 'j1' }]);
});

describe('an uncertain charge of an earlier take', () => {
  beforeEach(async () => {
    await lose(1);
    await redrive(1, RESUBMIT);
  });

  it('can be settled as charged, and its row stays where it is', async () => {
    expect(await adopt(1, 'j1')).toBe(true);
    await expectMoney(2.5, 0);
    expect(await rowOf(1)).toMatchObject({ outcome: null, state: 'waiting', take: 2 });
  });

  it('can be settled as not charged, but not that of the present take', async () => {
    const notCharged = (take: number): Promise<boolean> =>
      ledger.decide(aKey(1, 1, take), { type: 'not-charged' }, ANN);
    expect(await ledger.earlierUnresolved('b', 5)).toEqual({ count: 1, first: [{ row: 1, id: 'r1', take: 1 }] });
    expect(await notCharged(1)).toBe(true);
    await expectMoney(0, 0);
    expect(await ledger.earlierUnresolved('b', 5)).toEqual({ count: 0, first: [] });
    expect(await notCharged(1)).toBe(false);
    await lose(aKey(1, 1, 2));
    expect((await ledger.earlierUnresolved('b', 5)).count).toBe(0);
    await expect(notCharged(2)).rejects.toThrow('Nothing was changed');
  });
});

describe('a job of a take that a restored ledger lacks', () => {
  const begin = (row: number, jobId: string, after: Outcome, take = 2): Promise<boolean> =>
    ledger.decide(aKey(row, 1, take), { type: 'adopted', jobId, isUnsent: true, after }, ANN);

  it('is the next take of a row that failed, in a batch that is open again, and sends nothing', async () => {
    for (const row of [1, 2, 3]) await fail(row);
    await ledger.closeBatch('b');
    expect(await begin(1, 'k1', 'failed')).toBe(true);
    expect(await ledger.findBatch('b')).toMatchObject({ state: 'open' });
    expect(await rowOf(1)).toMatchObject({ outcome: null, state: 'processing', take: 2 });
    expect(await chargesOf(1)).toMatchObject([
      { take: 1 },
      { take: 2, state: 'accepted', jobId: 'k1', resultKey: null },
    ]);
    expect(await ledger.takesOf('b', 1)).toMatchObject([{ take: 2, reason: 'redrive', before: { outcome: 'failed' } }]);
    await finish(aKey(1, 1, 2), { file: FILE, credits: 4 });
    expect(await rowOf(1)).toMatchObject({ outcome: 'succeeded', file: FILE });
    await expectMoney(3 * 2.5 + 4, 0);
    // Once.
    expect(await begin(1, 'k1', 'failed')).toBe(false);
    expect(await begin(2, 'k1', 'failed')).toBe(false);
    expect(await rowOf(2)).toMatchObject({ outcome: 'failed', take: 1 });
  });

  it('leaves a row its earlier result if it brings none', async () => {
    await succeed(1);
    expect(await begin(1, 'k1', 'succeeded')).toBe(true);
    expect(await rowOf(1)).toMatchObject({ outcome: null, take: 2 });
    await finish(aKey(1, 1, 2), { failure: FAILED.failure });
    expect(await rowOf(1)).toMatchObject({ outcome: 'succeeded', file: FILE, take: 2 });
  });

  it('is not given to a row that has changed since, is open, or has had another take', async () => {
    await fail(1);
    expect(await begin(1, 'k1', 'succeeded')).toBe(false);
    expect(await begin(1, 'k1', 'failed', 3)).toBe(false);
    await redrive(1);
    expect(await begin(1, 'k1', 'failed')).toBe(false);
    expect(await begin(1, 'k1', 'failed', 3)).toBe(false);
    expect(await begin(2, 'k1', 'failed')).toBe(false);
    expect(await rowOf(1)).toMatchObject({ outcome: null, state: 'waiting', take: 2 });
    expect(await chargesOf(2)).toEqual([]);
  });

  it('leaves a request in doubt as it is', async () => {
    await lose(1);
    expect(await begin(1, 'k1', 'unknown')).toBe(true);
    expect(await ledger.takesOf('b', 1)).toMatchObject([{ take: 2, reason: 'resubmitted' }]);
    await finish(aKey(1, 1, 2), { file: FILE, credits: 4 });
    await expectMoney(4, 2.5);
    expect((await ledger.earlierUnresolved('b', 5)).count).toBe(1);
  });
});
