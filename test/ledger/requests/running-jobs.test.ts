import { describe, expect, it } from '@jest/globals';
import { accept, answer, fail, FILE, finish, giveUpWaiting, OVERDUE, redrive, REFUSED } from '../actions.ts';
import { RESUBMIT, send, WAITING } from '../actions.ts';
import { chargesOf, money, rowOf } from '../readings.ts';
import { aKey, ledger, ledgerForEachTest, load } from '../setup.ts';

ledgerForEachTest(() => load(3));

describe('finishJob', () => {
  it('records the end of a job once, with the API figure', async () => {
    await send(1);
    expect(await finish(1, { file: FILE })).toBe(false);
    await answer(1);
    expect(await finish(1, { file: FILE, credits: 3 })).toBe(true);
    expect(await finish(1, { failure: REFUSED })).toBe(false);
    const charge = { state: 'accepted', charged: 3, chargedFrom: 'api', file: FILE, failure: null };
    expect(await chargesOf(1)).toMatchObject([charge]);
    expect(await rowOf(1)).toMatchObject({ outcome: 'succeeded', file: FILE });
    expect(await money()).toMatchObject({ charged: 3, estimated: false });
  });

  it('keeps what was charged for a job that failed', async () => {
    await fail(1, REFUSED);
    expect(await chargesOf(1)).toMatchObject([{ charged: 2.5, chargedFrom: 'quote', failure: REFUSED, file: null }]);
  });
});

describe('news of a job', () => {
  it('that a person has taken back from the row meanwhile changes nothing', async () => {
    await accept(1);
    const [other, own] = [{ jobId: 'j0' }, { jobId: 'j1' }].map((job) => ({ ...aKey(1), ...job }));
    if (other === undefined || own === undefined) throw new Error('two keys');
    await ledger.changeRunning(other, { state: 'fetching' });
    expect(await finish(other, { credits: 9 })).toBe(false);
    expect(await rowOf(1)).toMatchObject({ state: 'processing', outcome: null });
    await ledger.changeRunning(own, { state: 'fetching' });
    expect(await rowOf(1)).toMatchObject({ state: 'fetching' });
    expect(await finish(own)).toBe(true);
  });

  it('ends what went wrong on the way, where the row goes on to its next step', async () => {
    await accept(1);
    await ledger.changeRunning(aKey(1), { state: 'processing', trouble: REFUSED });
    expect(await rowOf(1)).toMatchObject({ failure: REFUSED });
    await ledger.changeRunning(aKey(1), { state: 'fetching', trouble: null });
    expect(await rowOf(1)).toMatchObject({ state: 'fetching', failure: null });
    await ledger.changeRunning(aKey(1), { state: 'processing', trouble: REFUSED });
    await finish(1, { file: FILE }, WAITING);
    expect(await rowOf(1)).toMatchObject({ state: 'waiting', failure: null });
  });
});

describe('changeRunning', () => {
  it('changes a row while its job runs, and no more once the end is on record', async () => {
    await send(1);
    await ledger.changeRunning(aKey(1), { state: 'fetching' });
    expect(await rowOf(1)).toMatchObject({ state: 'submitting' });
    await answer(1);
    await ledger.changeRunning(aKey(1), { state: 'fetching' });
    expect(await rowOf(1)).toMatchObject({ state: 'fetching' });
    // A chain's first step: the row goes on, whatever a second download of it says.
    await finish(1, { file: FILE }, WAITING);
    for (const late of [{ state: 'fetching' }, OVERDUE] as const) await ledger.changeRunning(aKey(1), late);
    expect(await rowOf(1)).toMatchObject({ state: 'waiting', outcome: null });
  });

  it('changes no row that went on to another take', async () => {
    await accept(1);
    await giveUpWaiting(1);
    await redrive(1, RESUBMIT);
    await ledger.changeRunning(aKey(1), { state: 'fetching' });
    expect(await rowOf(1)).toMatchObject({ take: 2, state: 'waiting' });
  });
});
