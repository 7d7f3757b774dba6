import { describe, expect, it } from '@jest/globals';
import type { Ledger } from '../../../ledger/ledger.ts';
import { FILE, REFUSED, rowsForEachTest } from '../rows/rows-for-each.ts';
import { aKey, INTENT, redriveNow } from '../setup.ts';

let ledger: Ledger;
const { chargeOf, rowOf } = rowsForEachTest(3, (made) => {
  ledger = made;
});

describe('finishJob', () => {
  it('records the end of a job once, with the API figure', async () => {
    await ledger.intend(aKey(1), INTENT);
    expect(await ledger.finishJob(aKey(1), { file: FILE }, { outcome: 'succeeded' })).toMatchObject({
      finished: false,
    });
    await ledger.settle(aKey(1), { verdict: 'accepted', jobId: 'j1' }, { state: 'processing' });
    expect(
      await ledger.finishJob(aKey(1), { file: FILE, credits: 3 }, { outcome: 'succeeded', file: FILE }),
    ).toMatchObject({ finished: true });
    expect(await ledger.finishJob(aKey(1), { failure: REFUSED }, { outcome: 'failed' })).toMatchObject({
      finished: false,
    });
    expect(await chargeOf(1)).toMatchObject({
      state: 'accepted',
      charged: 3,
      chargedFrom: 'api',
      file: FILE,
      failure: null,
    });
    expect(await rowOf(1)).toMatchObject({ outcome: 'succeeded', file: FILE });
    expect(await ledger.money('b')).toMatchObject({ charged: 3, estimated: false });
  });

  it('keeps what was charged for a job that failed', async () => {
    await ledger.intend(aKey(1), INTENT);
    await ledger.settle(aKey(1), { verdict: 'accepted', jobId: 'j1' }, { state: 'processing' });
    await ledger.finishJob(aKey(1), { failure: REFUSED }, { outcome: 'failed', failure: REFUSED });
    expect(await chargeOf(1)).toMatchObject({ charged: 2.5, chargedFrom: 'quote', failure: REFUSED, file: null });
  });
});

describe('news of a job', () => {
  it('that a person has taken back from the row meanwhile changes nothing', async () => {
    await ledger.intend(aKey(1), INTENT);
    await ledger.settle(aKey(1), { verdict: 'accepted', jobId: 'j1' }, { state: 'processing' });
    const other = { ...aKey(1), jobId: 'j0' };
    await ledger.changeRunning(other, { state: 'fetching' });
    expect(await ledger.finishJob(other, { credits: 9 }, { outcome: 'succeeded' })).toMatchObject({ finished: false });
    expect(await rowOf(1)).toMatchObject({ state: 'processing', outcome: null });
    const own = { ...aKey(1), jobId: 'j1' };
    await ledger.changeRunning(own, { state: 'fetching' });
    expect(await rowOf(1)).toMatchObject({ state: 'fetching' });
    expect(await ledger.finishJob(own, {}, { outcome: 'succeeded' })).toMatchObject({ finished: true });
  });

  it('ends what went wrong on the way, where the row goes on to its next step', async () => {
    await ledger.intend(aKey(1), INTENT);
    await ledger.settle(aKey(1), { verdict: 'accepted', jobId: 'j1' }, { state: 'processing' });
    await ledger.changeRunning(aKey(1), { state: 'processing', trouble: REFUSED });
    expect(await rowOf(1)).toMatchObject({ failure: REFUSED });
    await ledger.changeRunning(aKey(1), { state: 'fetching', trouble: null });
    expect(await rowOf(1)).toMatchObject({ state: 'fetching', failure: null });
    await ledger.changeRunning(aKey(1), { state: 'processing', trouble: REFUSED });
    await ledger.finishJob(aKey(1), { file: FILE }, { state: 'waiting' });
    expect(await rowOf(1)).toMatchObject({ state: 'waiting', failure: null });
  });
});

describe('changeRunning', () => {
  it('changes a row while its job runs, and no more once the end is on record', async () => {
    await ledger.intend(aKey(1), INTENT);
    await ledger.changeRunning(aKey(1), { state: 'fetching' });
    expect(await rowOf(1)).toMatchObject({ state: 'submitting' });
    await ledger.settle(aKey(1), { verdict: 'accepted', jobId: 'j1' }, { state: 'processing' });
    await ledger.changeRunning(aKey(1), { state: 'fetching' });
    expect(await rowOf(1)).toMatchObject({ state: 'fetching' });
    // A chain's first step: the row goes on, whatever a second download of it says.
    await ledger.finishJob(aKey(1), { file: FILE }, { state: 'waiting' });
    await ledger.changeRunning(aKey(1), { state: 'fetching' });
    await ledger.changeRunning(aKey(1), { outcome: 'overdue' });
    expect(await rowOf(1)).toMatchObject({ state: 'waiting', outcome: null });
  });

  it('changes no row that went on to another take', async () => {
    await ledger.intend(aKey(1), INTENT);
    await ledger.settle(aKey(1), { verdict: 'accepted', jobId: 'j1' }, { state: 'processing' });
    await ledger.changeRunning(aKey(1), { outcome: 'overdue' });
    await redriveNow(ledger, 'b', [
      { row: 1, take: 1, how: { type: 'pay', fromStep: 'speech', reason: 'resubmitted' } },
    ]);
    await ledger.changeRunning(aKey(1), { state: 'fetching' });
    expect(await rowOf(1)).toMatchObject({ take: 2, state: 'waiting' });
  });
});
