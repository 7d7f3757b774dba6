import { describe, expect, it } from '@jest/globals';
import { accept, answer, ask, redrive, send, settle, WAITING } from '../actions.ts';
import { batchOf, chargesOf, money, rowOf } from '../readings.ts';
import { aBatch, aKey, aRow, INTENT, ledger, ledgerForEachTest, load } from '../setup.ts';

ledgerForEachTest(() => load(3));

/** The request is not sent, because of a record that says this. */
async function expectExists(charge: object, key = aKey(1), owner = 'w1'): Promise<void> {
  expect(await ledger.intend(key, { ...INTENT, owner })).toMatchObject({ type: 'exists', charge });
}

describe('intend', () => {
  it('lets the first go and nobody else with the same key', async () => {
    await send(1);
    await expectExists({ state: 'sending', owner: 'w1', quoted: 2.5 }, aKey(1), 'w2');
    expect(await rowOf(1)).toMatchObject({ state: 'submitting', outcome: null });
    expect((await batchOf()).startedAt).not.toBeNull();
  });

  it('holds while the batch is loading, paused or stopping, or the row has ended, and records nothing', async () => {
    await ledger.createBatch(aBatch('other'));
    await ledger.addRows('other', [aRow(1)]);
    expect(await ask({ ...aKey(1), batch: 'other' })).toBe('blocked');
    await ledger.setControl('b', 'paused');
    expect(await ask(1)).toBe('blocked');
    await ledger.setControl('b', 'running');
    await ledger.giveUp(aKey(2), { outcome: 'failed' });
    expect(await ask(2)).toBe('blocked');
    await ledger.setControl('b', 'stopping');
    expect(await ask(1)).toBe('blocked');
    expect(await ledger.sending('b')).toEqual([]);
  });

  it('is full at maxSending, over all rows, and free again with a verdict', async () => {
    const two = { maxSending: 2 };
    for (const row of [1, 2]) await send(row, two);
    expect(await ask(3, two)).toBe('full');
    await answer(1);
    await send(3, two);
  });

  it.each(['accepted', 'done', 'rejected', 'unknown'] as const)('lets nothing follow %s', async (verdict) => {
    await send(1);
    await settle(1, { verdict }, WAITING);
    await expectExists({ state: verdict }, aKey(1, 2));
    expect(await ledger.revoke(aKey(1, 2))).toMatchObject({ attempt: 1, state: verdict });
    expect(await chargesOf(1)).toHaveLength(1);
  });

  it('lets the next attempt follow not-accepted and revoked only, one at a time', async () => {
    await send(1);
    await expectExists({ state: 'sending' }, aKey(1, 2));
    await settle(1, { verdict: 'not-accepted' }, WAITING);
    await expectExists({ attempt: 1 }, aKey(1, 3));
    expect(await ledger.revoke(aKey(1, 2))).toMatchObject({ attempt: 2, state: 'revoked' });
    await expectExists({ state: 'revoked' }, aKey(1, 2));
    await send(aKey(1, 3));
    await expectExists({ attempt: 1 }, aKey(1, 1));
  });

  it('lets a new take follow a settled one, and nothing of the old take after that', async () => {
    await send(1);
    await expectExists({ take: 1 }, aKey(1, 1, 2));
    await settle(1, { verdict: 'not-accepted' }, WAITING);
    // A take that nobody gave the row is none.
    expect(await ask(aKey(1, 1, 2))).toBe('blocked');
    await ledger.giveUp(aKey(1, 2), { outcome: 'failed' });
    await redrive(1);
    expect(await ask(aKey(1, 2, 1))).toBe('blocked');
    await send(aKey(1, 1, 2));
    await expectExists({ take: 2 }, aKey(1, 2, 1));
    expect(await rowOf(1)).toMatchObject({ take: 2 });
  });

  it('throws, and records nothing, for what does not exist', async () => {
    await expect(ask(9)).rejects.toThrow('has no row 9');
    await expect(ask({ ...aKey(1), batch: 'x' })).rejects.toThrow('no batch "x"');
    await expect(ask(aKey(1, 2))).rejects.toThrow('attempt 1 was never made');
    await expect(settle(1, { verdict: 'unknown' })).rejects.toThrow('No intent');
    expect(await chargesOf(1)).toEqual([]);
  });
});

describe('revoke', () => {
  it('spends a key that nobody used', async () => {
    expect(await ledger.revoke(aKey(1))).toMatchObject({ state: 'revoked', charged: null });
    expect(await ledger.revoke(aKey(1))).toMatchObject({ state: 'revoked' });
    await expectExists({ state: 'revoked' });
    expect(await answer(1)).toBe(false);
  });

  it('leaves a record that is there', async () => {
    await send(1);
    expect(await ledger.revoke(aKey(1))).toMatchObject({ state: 'sending', owner: 'w1' });
  });
});

it('money tells charged, reserved and uncertain apart', async () => {
  expect(await money()).toMatchObject({ charged: 0, reserved: 0, uncertain: 0, estimated: false });
  await send(1);
  await send(2, { quoted: 4 });
  await settle(2, { verdict: 'unknown' }, { outcome: 'unknown' });
  await accept(3, { credits: 1.5 }, { quoted: null });
  expect(await money()).toMatchObject({ charged: 1.5, reserved: 2.5, uncertain: 4, estimated: true });
});
