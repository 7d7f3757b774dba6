import { describe, expect, it } from '@jest/globals';
import { accept, answer, ask, send, settle, WAITING } from '../actions.ts';
import { chargesOf, money } from '../readings.ts';
import { aBatch, aKey, aRow, INTENT, ledger, ledgerForEachTest, load } from '../setup.ts';

ledgerForEachTest(() => load(3));

/** The request is not sent, because of a record that says this. */
async function expectExists(charge: object, key = aKey(1), owner = 'w1'): Promise<void> {
  expect(await ledger.intend(key, { ...INTENT, owner })).toMatchObject({ type: 'exists', charge });
}

describe('intend', () => {
  it('holds while the batch is loading, paused or stopping, or the row has ended, and records nothing', async () => {
    const loading = await ledger.createBatch(aBatch('other'));
    await ledger.addRows(loading, [aRow(1)]);
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

  it('lets the next attempt follow not-accepted and revoked only, one at a time', async () => {
    await send(1);
    await expectExists({ state: 'sending', owner: 'w1', quoted: 2.5 }, aKey(1, 1), 'w2');
    await expectExists({ state: 'sending' }, aKey(1, 2));
    await settle(1, { verdict: 'not-accepted' }, WAITING);
    await expectExists({ attempt: 1 }, aKey(1, 3));
    expect(await ledger.revoke(aKey(1, 2))).toMatchObject({ attempt: 2, state: 'revoked', charged: null });
    expect(await answer(aKey(1, 2))).toBe(false);
    await expectExists({ state: 'revoked' }, aKey(1, 2));
    await send(aKey(1, 3));
    await expectExists({ attempt: 1 }, aKey(1, 1));
  });

  it('throws, and records nothing, for what does not exist', async () => {
    await expect(ask(9)).rejects.toThrow('has no row 9');
    await expect(ask({ ...aKey(1), batch: 'x' })).rejects.toThrow('no batch "x"');
    await expect(ask(aKey(1, 2))).rejects.toThrow('attempt 1 was never made');
    await expect(settle(1, { verdict: 'unknown' })).rejects.toThrow('No intent');
    expect(await chargesOf(1)).toEqual([]);
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
