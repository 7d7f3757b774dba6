import { describe, expect, it } from '@jest/globals';
import type { Failure } from '../../../contract/failures.ts';
import type { Ledger } from '../../../ledger/ledger.ts';
import type { RowRecord } from '../../../ledger/record-types.ts';
import { aBatch, aKey, aRow, fill, INTENT, ledgerForEachTest, redriveNow } from '../setup.ts';

const REFUSED: Failure = { class: 'RateLimited', message: 'slow down', status: 429 };

let ledger: Ledger;

ledgerForEachTest(async (made) => {
  ledger = made;
  await fill(ledger, 3);
});

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

describe('money', () => {
  it('tells charged, reserved and uncertain apart', async () => {
    expect(await ledger.money('b')).toMatchObject({ charged: 0, reserved: 0, uncertain: 0, estimated: false });
    await ledger.intend(aKey(1), INTENT);
    await ledger.intend(aKey(2), { ...INTENT, quoted: 4 });
    await ledger.intend(aKey(3), { ...INTENT, quoted: null });
    await ledger.settle(aKey(2), { verdict: 'unknown' }, { outcome: 'unknown' });
    await ledger.settle(aKey(3), { verdict: 'accepted', jobId: 'j', credits: 1.5 }, { state: 'processing' });
    expect(await ledger.money('b')).toMatchObject({ charged: 1.5, reserved: 2.5, uncertain: 4, estimated: true });
  });
});
