import { describe, expect, it } from '@jest/globals';
import type { Failure } from '../../../contract/failures.ts';
import type { Ledger } from '../../../ledger/ledger.ts';
import type { ChargeRecord } from '../../../ledger/record-types.ts';
import { FILE } from '../rows/rows-for-each.ts';
import { aKey, fill, INTENT, ledgerForEachTest } from '../setup.ts';

const REFUSED: Failure = { class: 'BadRequest', message: 'No.' };

let ledger: Ledger;

ledgerForEachTest(async (made) => {
  ledger = made;
  await fill(ledger, 2);
});

async function chargeOf(row: number): Promise<ChargeRecord | undefined> {
  return (await ledger.readRow('b', row))?.charges[0];
}

describe('notePrice', () => {
  it('is the figure of a verdict that knows none, and no charge before', async () => {
    await ledger.intend(aKey(1), INTENT);
    await ledger.notePrice(aKey(1), { credits: 7, requestId: 'q' });
    expect(await chargeOf(1)).toMatchObject({ state: 'sending', reportedPrice: 7, charged: null, chargedFrom: null });
    expect(await ledger.money('b')).toMatchObject({ charged: 0, reserved: 2.5 });
    await ledger.settle(aKey(1), { verdict: 'done', file: FILE }, { outcome: 'succeeded', file: FILE });
    expect(await chargeOf(1)).toMatchObject({ charged: 7, chargedFrom: 'api', requestId: 'q', quoted: 2.5 });
    expect(await ledger.money('b')).toMatchObject({ charged: 7, estimated: false });
  });

  it('gives way to the figure of the verdict', async () => {
    await ledger.intend(aKey(1), INTENT);
    await ledger.notePrice(aKey(1), { credits: 7 });
    await ledger.settle(aKey(1), { verdict: 'done', credits: 8, requestId: 'v' }, { outcome: 'succeeded' });
    expect(await chargeOf(1)).toMatchObject({ charged: 8, requestId: 'v', reportedPrice: 7 });
  });

  it('is what an answer in doubt counts with, whichever comes first', async () => {
    await ledger.intend(aKey(1), INTENT);
    await ledger.intend(aKey(2), INTENT);
    await ledger.notePrice(aKey(1), { credits: 7 });
    await ledger.settle(aKey(1), { verdict: 'unknown' }, { outcome: 'unknown' });
    expect(await ledger.money('b')).toMatchObject({ uncertain: 7, reserved: 2.5 });
    await ledger.settle(aKey(2), { verdict: 'unknown' }, { outcome: 'unknown' });
    await ledger.notePrice(aKey(2), { credits: 9 });
    expect(await ledger.money('b')).toMatchObject({ uncertain: 16, reserved: 0 });
  });

  it('is kept for an answer that was given up, and charges nothing that was refused', async () => {
    await ledger.intend(aKey(1), INTENT);
    await ledger.settle(aKey(1), { verdict: 'unknown' }, { outcome: 'unknown' });
    await ledger.notePrice(aKey(1), { credits: 0 });
    await ledger.settle(aKey(1), { verdict: 'done', file: FILE }, { outcome: 'succeeded', file: FILE });
    expect(await chargeOf(1)).toMatchObject({ charged: 0, chargedFrom: 'api', requestId: null });
    await ledger.intend(aKey(2), INTENT);
    await ledger.notePrice(aKey(2), { credits: 7 });
    await ledger.settle(aKey(2), { verdict: 'rejected', failure: REFUSED }, { outcome: 'failed', failure: REFUSED });
    expect(await chargeOf(2)).toMatchObject({ charged: null, chargedFrom: null });
  });

  it('changes nothing that has its verdict, and needs an intent', async () => {
    await ledger.intend(aKey(1), INTENT);
    await ledger.settle(aKey(1), { verdict: 'done', requestId: 'v' }, { outcome: 'succeeded' });
    await ledger.notePrice(aKey(1), { credits: 7, requestId: 'late' });
    expect(await chargeOf(1)).toMatchObject({ charged: 2.5, reportedPrice: null, requestId: 'v' });
    await expect(ledger.notePrice(aKey(2), { credits: 7 })).rejects.toThrow('No intent');
  });
});

describe('a price of nothing', () => {
  it('is no price of a job before its end, which counts with its quote until then, and is one of a result', async () => {
    for (const row of [1, 2]) await ledger.intend(aKey(row), INTENT);
    await ledger.settle(aKey(1), { verdict: 'accepted', jobId: 'j1', credits: 0 }, { state: 'processing' });
    await ledger.settle(aKey(2), { verdict: 'done', credits: 0 }, { outcome: 'succeeded' });
    expect(await chargeOf(1)).toMatchObject({ charged: 2.5, chargedFrom: 'quote' });
    expect(await chargeOf(2)).toMatchObject({ charged: 0, chargedFrom: 'api' });
    // At its end it may have cost nothing after all.
    await ledger.finishJob(aKey(1), { credits: 0 }, { outcome: 'succeeded' });
    expect(await chargeOf(1)).toMatchObject({ charged: 0, chargedFrom: 'api' });
  });
});
