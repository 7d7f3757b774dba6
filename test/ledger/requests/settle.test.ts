import { describe, expect, it } from '@jest/globals';
import type { Ledger } from '../../../ledger/ledger.ts';
import { FILE, REFUSED, rowsForEachTest } from '../rows/rows-for-each.ts';
import { aKey, INTENT, redriveNow } from '../setup.ts';

let ledger: Ledger;
const { chargeOf, rowOf } = rowsForEachTest(3, (made) => {
  ledger = made;
});

describe('settle', () => {
  it('charges the API figure where there is one, else the quote, and nothing for refusals', async () => {
    await ledger.intend(aKey(1), INTENT);
    await ledger.intend(aKey(2), INTENT);
    await ledger.intend(aKey(3), INTENT);
    await ledger.settle(aKey(1), { verdict: 'accepted', jobId: 'j1', requestId: 'q' }, { state: 'processing' });
    await ledger.settle(aKey(2), { verdict: 'done', credits: 7, file: FILE }, { outcome: 'succeeded', file: FILE });
    await ledger.settle(
      aKey(3),
      { verdict: 'rejected', credits: 9, failure: REFUSED },
      { outcome: 'failed', failure: REFUSED },
    );
    expect(await chargeOf(1)).toMatchObject({
      charged: 2.5,
      chargedFrom: 'quote',
      jobId: 'j1',
      requestId: 'q',
      finishedAt: null,
    });
    const done = await chargeOf(2);
    expect(done).toMatchObject({ charged: 7, chargedFrom: 'api', file: FILE });
    expect(done?.finishedAt).not.toBeNull();
    expect(await chargeOf(3)).toMatchObject({ charged: null, chargedFrom: null, failure: REFUSED });
    expect(await rowOf(2)).toMatchObject({ outcome: 'succeeded', file: FILE, failure: null });
    expect(await rowOf(3)).toMatchObject({ outcome: 'failed', failure: REFUSED, file: null });
    expect(await ledger.money('b')).toMatchObject({ charged: 9.5, reserved: 0, uncertain: 0, estimated: true });
  });

  it('charges the attempt that it names, and the budget of the batch with what that cost in the end', async () => {
    await ledger.tune('b', { budget: 11.5 });
    await ledger.intend(aKey(1), INTENT);
    await ledger.settle(aKey(1), { verdict: 'not-accepted', failure: REFUSED }, { state: 'waiting' });
    await ledger.intend(aKey(1, 2), INTENT);
    await ledger.settle(aKey(1, 2), { verdict: 'accepted', jobId: 'j', credits: 7 }, { state: 'processing' });
    expect(await chargeOf(1)).toMatchObject({ state: 'not-accepted', charged: null });
    await ledger.finishJob(aKey(1, 2), { credits: 9 }, { outcome: 'succeeded' });
    expect(await chargeOf(1, 2)).toMatchObject({ state: 'accepted', charged: 9 });
    // 2.5 are left, to the last credit, and a request may cost 3.6 times its quote.
    const quoted = 2.5 / 3.6;
    expect(await ledger.intend(aKey(2), { ...INTENT, quoted })).toMatchObject({ type: 'go' });
    await ledger.settle(aKey(2), { verdict: 'accepted', jobId: 'k', credits: 2.5 }, { state: 'processing' });
    expect(await ledger.intend(aKey(3), { ...INTENT, quoted: 0.1 })).toMatchObject({ type: 'over-budget' });
  });

  it('does nothing to an attempt that has its verdict', async () => {
    await ledger.intend(aKey(1), INTENT);
    await ledger.settle(aKey(1), { verdict: 'accepted', jobId: 'j1' }, { state: 'processing' });
    expect(await ledger.settle(aKey(1), { verdict: 'unknown' }, { outcome: 'unknown' })).toMatchObject({
      settled: false,
    });
    expect(await chargeOf(1)).toMatchObject({ state: 'accepted', jobId: 'j1' });
    expect(await rowOf(1)).toMatchObject({ state: 'processing', outcome: null });
  });

  it('opens an unknown row and its closed batch again when the answer comes late, for the next claim', async () => {
    const lease = await ledger.acquireLane({ batch: 'b', run: 'run', lane: 1, owner: 'w' });
    await ledger.claimRows({ ...lease, limit: 5 });
    await ledger.intend(aKey(1), INTENT);
    await ledger.settle(aKey(1), { verdict: 'unknown' }, { outcome: 'unknown', failure: REFUSED });
    await ledger.giveUp(aKey(2), { outcome: 'cancelled' });
    await ledger.giveUp(aKey(3), { outcome: 'cancelled' });
    expect(await ledger.closeBatch('b')).toBe(0);
    expect(await ledger.settle(aKey(1), { verdict: 'unknown' }, { outcome: 'unknown' })).toMatchObject({
      settled: false,
    });

    expect(await ledger.settle(aKey(1), { verdict: 'accepted', jobId: 'j' }, { state: 'processing' })).toMatchObject({
      settled: true,
    });
    expect(await rowOf(1)).toMatchObject({ state: 'processing', outcome: null, failure: null, endedAt: null });
    expect(await ledger.findBatch('b')).toMatchObject({ state: 'open', closedAt: null });
    expect(await ledger.claimRows({ ...lease, limit: 5 })).toMatchObject({ rows: [{ row: { row: 1 } }] });
  });

  it('ends an unknown row differently when the late answer does', async () => {
    await ledger.intend(aKey(1), INTENT);
    await ledger.settle(aKey(1), { verdict: 'unknown' }, { outcome: 'unknown' });
    await ledger.settle(aKey(1), { verdict: 'rejected' }, { outcome: 'failed', failure: REFUSED });
    expect(await rowOf(1)).toMatchObject({ outcome: 'failed', failure: REFUSED });
  });

  it('records the late answer but leaves a row alone that ended otherwise', async () => {
    await ledger.intend(aKey(1), INTENT);
    await ledger.settle(aKey(1), { verdict: 'unknown' }, { outcome: 'cancelled' });
    expect(await ledger.settle(aKey(1), { verdict: 'accepted', jobId: 'j' }, { state: 'processing' })).toMatchObject({
      settled: true,
    });
    expect(await rowOf(1)).toMatchObject({ outcome: 'cancelled' });
    expect(await ledger.money('b')).toMatchObject({ charged: 2.5 });
  });

  it('takes a late answer as news about money only once the row went on to another take', async () => {
    await ledger.intend(aKey(1), INTENT);
    await ledger.settle(aKey(1), { verdict: 'unknown' }, { outcome: 'unknown' });
    await redriveNow(ledger, 'b', [
      { row: 1, take: 1, how: { type: 'pay', fromStep: 'speech', reason: 'resubmitted' } },
    ]);
    expect(await ledger.intend(aKey(1, 1, 2), INTENT)).toMatchObject({ type: 'go' });
    expect(await ledger.settle(aKey(1), { verdict: 'accepted', jobId: 'j' }, { state: 'processing' })).toMatchObject({
      settled: true,
    });
    expect(await chargeOf(1)).toMatchObject({ state: 'accepted', jobId: 'j', charged: 2.5 });
    expect(await rowOf(1)).toMatchObject({ take: 2, state: 'submitting', outcome: null });
  });
});

describe('settle with a job from the list', () => {
  it('lets one of two rows that look alike adopt a job', async () => {
    const adopted = { verdict: 'accepted', jobId: 'j1', isAdopted: true } as const;
    await ledger.intend(aKey(1), INTENT);
    await ledger.intend(aKey(2), INTENT);
    expect(await ledger.settle(aKey(1), adopted, { state: 'processing' })).toMatchObject({ settled: true });
    expect(await ledger.settle(aKey(2), adopted, { state: 'processing' })).toMatchObject({ settled: false });
    expect(await chargeOf(1)).toMatchObject({ state: 'accepted', jobId: 'j1' });
    expect(await chargeOf(2)).toMatchObject({ state: 'sending', jobId: null });
  });
});
