import { describe, expect, it } from '@jest/globals';
import type { Failure } from '../../contract/failures.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { ChargeRecord, RowRecord } from '../../ledger/record-types.ts';
import { aBatch, aKey, aRow, fill, INTENT, ledgerForEachTest, redriveNow } from './setup.ts';

const REFUSED: Failure = { class: 'RateLimited', message: 'slow down', status: 429 };
const FILE = { key: 'b/1-speech-1.mp3', bytes: 3, sha256: 'ab', extension: 'mp3' };

let ledger: Ledger;

ledgerForEachTest(async (made) => {
  ledger = made;
  await fill(ledger, 3);
});

async function chargeOf(row: number, attempt = 1): Promise<ChargeRecord | undefined> {
  const found = await ledger.readRow('b', row);
  return found?.charges.find((charge) => charge.attempt === attempt);
}

async function rowOf(row: number): Promise<RowRecord | undefined> {
  return (await ledger.readRow('b', row))?.row;
}

describe('intend', () => {
  it('lets the first go and nobody else with the same key', async () => {
    expect(await ledger.intend(aKey(1), INTENT)).toMatchObject({ type: 'go' });
    const again = await ledger.intend(aKey(1), { ...INTENT, owner: 'w2' });
    expect(again).toMatchObject({ type: 'exists', charge: { state: 'sending', owner: 'w1', quoted: 2.5 } });
    expect(await rowOf(1)).toMatchObject({ state: 'submitting', outcome: null });
    expect((await ledger.findBatch('b'))?.startedAt).not.toBeNull();
  });

  it('holds while the batch is paused or stopping, or the row has ended, and records nothing', async () => {
    await ledger.setControl('b', 'paused');
    expect(await ledger.intend(aKey(1), INTENT)).toMatchObject({ type: 'blocked' });
    await ledger.setControl('b', 'running');
    await ledger.giveUp(aKey(2), { outcome: 'failed' });
    expect(await ledger.intend(aKey(2), INTENT)).toMatchObject({ type: 'blocked' });
    await ledger.setControl('b', 'stopping');
    expect(await ledger.intend(aKey(1), INTENT)).toMatchObject({ type: 'blocked' });
    expect(await ledger.sending('b')).toEqual([]);
  });

  it('holds while the batch is still loading', async () => {
    await ledger.createBatch(aBatch('other'));
    await ledger.addRows('other', [aRow(1)]);
    expect(await ledger.intend({ ...aKey(1), batch: 'other' }, INTENT)).toMatchObject({ type: 'blocked' });
  });

  it('is full at maxSending, over all rows, and free again with a verdict', async () => {
    const two = { ...INTENT, maxSending: 2 };
    await ledger.intend(aKey(1), two);
    await ledger.intend(aKey(2), two);
    expect(await ledger.intend(aKey(3), two)).toMatchObject({ type: 'full' });
    await ledger.settle(aKey(1), { verdict: 'accepted', jobId: 'j1' }, { state: 'processing' });
    expect(await ledger.intend(aKey(3), two)).toMatchObject({ type: 'go' });
  });

  it.each(['accepted', 'done', 'rejected', 'unknown'] as const)('lets nothing follow %s', async (verdict) => {
    await ledger.intend(aKey(1), INTENT);
    await ledger.settle(aKey(1), { verdict }, { state: 'waiting' });
    expect(await ledger.intend(aKey(1, 2), INTENT)).toMatchObject({ type: 'exists', charge: { state: verdict } });
    expect(await ledger.revoke(aKey(1, 2))).toMatchObject({ attempt: 1, state: verdict });
    expect((await ledger.readRow('b', 1))?.charges).toHaveLength(1);
  });

  it('lets the next attempt follow not-accepted and revoked only, one at a time', async () => {
    await ledger.intend(aKey(1), INTENT);
    expect(await ledger.intend(aKey(1, 2), INTENT)).toMatchObject({ type: 'exists', charge: { state: 'sending' } });
    await ledger.settle(aKey(1), { verdict: 'not-accepted', failure: REFUSED }, { state: 'waiting' });
    expect(await ledger.intend(aKey(1, 3), INTENT)).toMatchObject({ type: 'exists', charge: { attempt: 1 } });
    expect(await ledger.revoke(aKey(1, 2))).toMatchObject({ attempt: 2, state: 'revoked' });
    expect(await ledger.intend(aKey(1, 2), INTENT)).toMatchObject({ type: 'exists', charge: { state: 'revoked' } });
    expect(await ledger.intend(aKey(1, 3), INTENT)).toMatchObject({ type: 'go' });
    expect(await ledger.intend(aKey(1, 1), INTENT)).toMatchObject({ type: 'exists', charge: { attempt: 1 } });
  });

  it('lets a new take follow a settled one, and nothing of the old take after that', async () => {
    await ledger.intend(aKey(1), INTENT);
    expect(await ledger.intend(aKey(1, 1, 2), INTENT)).toMatchObject({ type: 'exists', charge: { take: 1 } });
    await ledger.settle(aKey(1), { verdict: 'not-accepted', failure: REFUSED }, { state: 'waiting' });
    // A take that nobody gave the row is none.
    expect(await ledger.intend(aKey(1, 1, 2), INTENT)).toMatchObject({ type: 'blocked' });
    await ledger.giveUp(aKey(1, 2), { outcome: 'failed' });
    await redriveNow(ledger, 'b', [{ row: 1, take: 1, how: { type: 'pay', fromStep: 'speech', reason: 'redrive' } }]);
    expect(await ledger.intend(aKey(1, 2, 1), INTENT)).toMatchObject({ type: 'blocked' });
    expect(await ledger.intend(aKey(1, 1, 2), INTENT)).toMatchObject({ type: 'go' });
    expect(await ledger.intend(aKey(1, 2, 1), INTENT)).toMatchObject({ type: 'exists', charge: { take: 2 } });
    expect(await rowOf(1)).toMatchObject({ take: 2 });
  });

  it('throws, and records nothing, for what does not exist', async () => {
    await expect(ledger.intend(aKey(9), INTENT)).rejects.toThrow('has no row 9');
    await expect(ledger.intend({ ...aKey(1), batch: 'x' }, INTENT)).rejects.toThrow('no batch "x"');
    await expect(ledger.intend(aKey(1, 2), INTENT)).rejects.toThrow('attempt 1 was never made');
    await expect(ledger.settle(aKey(1), { verdict: 'unknown' }, { state: 'waiting' })).rejects.toThrow('No intent');
    expect((await ledger.readRow('b', 1))?.charges).toEqual([]);
  });
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
    expect(await ledger.money('b')).toEqual({ charged: 9.5, reserved: 0, uncertain: 0, estimated: true });
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
    // 2.5 are left, to the last credit.
    expect(await ledger.intend(aKey(2), INTENT)).toMatchObject({ type: 'go' });
    await ledger.settle(aKey(2), { verdict: 'accepted', jobId: 'k' }, { state: 'processing' });
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

describe('revoke', () => {
  it('spends a key that nobody used', async () => {
    expect(await ledger.revoke(aKey(1))).toMatchObject({ state: 'revoked', charged: null });
    expect(await ledger.revoke(aKey(1))).toMatchObject({ state: 'revoked' });
    expect(await ledger.intend(aKey(1), INTENT)).toMatchObject({ type: 'exists', charge: { state: 'revoked' } });
    expect(await ledger.settle(aKey(1), { verdict: 'accepted' }, { state: 'processing' })).toMatchObject({
      settled: false,
    });
  });

  it('leaves a record that is there', async () => {
    await ledger.intend(aKey(1), INTENT);
    expect(await ledger.revoke(aKey(1))).toMatchObject({ state: 'sending', owner: 'w1' });
  });
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

describe('money', () => {
  it('tells charged, reserved and uncertain apart', async () => {
    expect(await ledger.money('b')).toEqual({ charged: 0, reserved: 0, uncertain: 0, estimated: false });
    await ledger.intend(aKey(1), INTENT);
    await ledger.intend(aKey(2), { ...INTENT, quoted: 4 });
    await ledger.intend(aKey(3), { ...INTENT, quoted: null });
    await ledger.settle(aKey(2), { verdict: 'unknown' }, { outcome: 'unknown' });
    await ledger.settle(aKey(3), { verdict: 'accepted', jobId: 'j', credits: 1.5 }, { state: 'processing' });
    expect(await ledger.money('b')).toEqual({ charged: 1.5, reserved: 2.5, uncertain: 4, estimated: true });
  });
});
