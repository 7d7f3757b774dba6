import { beforeEach, describe, expect, it } from '@jest/globals';
import { releaseTake, settleNotCharged } from '../../../batches/reconcile/decisions.ts';
import type { Ledger } from '../../../ledger/ledger.ts';
import {
  adopt,
  FILE,
  finish,
  giveUpWaiting,
  lose,
  redrive,
  RESUBMIT,
  send,
  WAITING,
  WHO,
} from '../../ledger/actions.ts';
import { money, rowOf } from '../../ledger/readings.ts';
import { aKey, fill, ledger, ledgerForEachTest } from '../../ledger/setup.ts';
import { ANN } from '../../support/ann.ts';

/** What a person says of a take, in the words that commands use. */

ledgerForEachTest(async () => {
  await fill(ledger, 2);
});

const SECOND = aKey(1, 1, 2);

describe('taking back a job that a person gave to a row', () => {
  const release = (row: number, take?: number): ReturnType<typeof releaseTake> =>
    releaseTake(ledger, 'b', take === undefined ? { row } : { row, take }, ANN);

  it('releases it, names it, and may be asked again', async () => {
    await lose(1);
    await adopt(1, 'j1');
    for (let time = 0; time < 2; time++)
      expect(await release(1)).toEqual({ row: 1, id: 'r1', jobId: 'j1', type: 'released' });
    expect((await rowOf(1)).outcome).toBe('unknown');
    expect(await ledger.decisionsOf('b', 1)).toMatchObject([{ what: 'adopted' }, { what: 'released', who: WHO }]);
  });

  it('is about the take that is named, by default the present one', async () => {
    await lose(1);
    await adopt(1, 'j1');
    await giveUpWaiting(1);
    await redrive(1, RESUBMIT);
    expect(await release(1)).toMatchObject({ type: 'refused', why: { type: 'not-adopted' } });
    expect(await release(1, 1)).toMatchObject({ type: 'released', jobId: 'j1' });
    await lose(SECOND);
    await adopt(SECOND, 'j2');
    expect(await release(1)).toMatchObject({ type: 'released', jobId: 'j2' });
  });

  it.each([1, 9])('is refused where nobody gave one, or there is no such row: %d', async (row) => {
    const id = row === 1 ? 'r1' : '';
    expect(await release(row)).toEqual({ row, id, jobId: null, type: 'refused', why: { type: 'not-adopted' } });
  });

  it('is refused where it has become something else meanwhile, and where a later step used it', async () => {
    await lose(1);
    await adopt(1, 'j1');
    const decided: Ledger = { ...ledger, decide: () => Promise.resolve(false) };
    expect(await releaseTake(decided, 'b', { row: 1 }, ANN)).toMatchObject({
      jobId: null,
      why: { type: 'not-adopted' },
    });
    await fill(ledger, 1, 'dubs', 'dub');
    const speech = { ...aKey(1), batch: 'dubs' };
    await lose(speech);
    await adopt(speech, 'j7');
    await finish(speech, { file: FILE }, WAITING);
    await send({ ...speech, step: 'lip-sync' });
    const refused = {
      type: 'refused',
      jobId: null,
      why: { type: 'job-used', words: expect.stringContaining('lip-sync') },
    };
    expect(await releaseTake(ledger, 'dubs', { row: 1 }, ANN)).toMatchObject(refused);
  });

  it('says nothing of errors that are not the ledger’s word on it', async () => {
    await lose(1);
    await adopt(1, 'j1');
    const broken: Ledger = { ...ledger, decide: () => Promise.reject(new Error('the disk is full')) };
    await expect(releaseTake(broken, 'b', { row: 1 }, ANN)).rejects.toThrow('the disk is full');
  });
});

describe('calling a take not charged', () => {
  const settle = (take?: number): ReturnType<typeof settleNotCharged> =>
    settleNotCharged(ledger, 'b', take === undefined ? { row: 1 } : { row: 1, take }, ANN);

  beforeEach(() => lose(1));

  it('makes the charge of an earlier take certain, and leaves the row as it is', async () => {
    await redrive(1, RESUBMIT);
    const before = await rowOf(1);
    expect(await money()).toMatchObject({ uncertain: 2.5 });
    expect(await settle(1)).toEqual({ row: 1, id: 'r1', jobId: null, type: 'not-charged', take: 1 });
    expect(await money()).toMatchObject({ charged: 0, uncertain: 0 });
    expect(await rowOf(1)).toEqual(before);
    expect(await ledger.decisionsOf('b', 1)).toMatchObject([{ what: 'not-charged', who: WHO }]);
    expect(await settle(1)).toMatchObject({ type: 'refused', why: { type: 'take-not-in-doubt' } });
  });

  it('can be taken back: the take is in doubt again, and may be given its job', async () => {
    await redrive(1, RESUBMIT);
    await settle(1);
    const before = await rowOf(1);
    const release = (): ReturnType<typeof releaseTake> => releaseTake(ledger, 'b', { row: 1, take: 1 }, ANN);
    const doubted = { row: 1, id: 'r1', jobId: null, type: 'doubted', take: 1 };
    expect(await release()).toEqual(doubted);
    expect(await release()).toEqual(doubted);
    expect(await money()).toMatchObject({ charged: 0, uncertain: 2.5 });
    expect(await rowOf(1)).toEqual(before);
    expect((await ledger.decisionsOf('b', 1)).map(({ what }) => what)).toEqual(['not-charged', 'released']);
    expect(await adopt(1, 'j1')).toBe(true);
    expect(await money()).toMatchObject({ charged: 2.5, uncertain: 0 });
  });

  it('is refused for the present take, which a new take would settle', async () => {
    expect(await settle()).toEqual({ row: 1, id: 'r1', jobId: null, type: 'refused', why: { type: 'current-take' } });
    expect(await settle(1)).toMatchObject({ why: { type: 'current-take' } });
    expect(await money()).toMatchObject({ uncertain: 2.5 });
  });

  it('is refused for a take whose request has no answer yet, or that there is none of', async () => {
    await redrive(1, RESUBMIT);
    await send(SECOND);
    for (const take of [2, 3]) expect(await settle(take)).toMatchObject({ why: { type: 'take-not-in-doubt' } });
    const none = await settleNotCharged(ledger, 'b', { row: 9 }, ANN);
    expect(none).toEqual({ row: 9, id: '', jobId: null, type: 'refused', why: { type: 'take-not-in-doubt' } });
  });

  it('says where the answer came first', async () => {
    await redrive(1, RESUBMIT);
    const late: Ledger = {
      ...ledger,
      decide: async (key, decision, by) => {
        await ledger.settle(key, { verdict: 'accepted', jobId: 'j' }, { state: 'processing' });
        return ledger.decide(key, decision, by);
      },
    };
    expect(await settleNotCharged(late, 'b', { row: 1, take: 1 }, ANN)).toMatchObject({ why: { type: 'answer-came' } });
    expect(await money()).toMatchObject({ charged: 2.5, uncertain: 0 });
  });
});
