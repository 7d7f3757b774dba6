import { describe, expect, it } from '@jest/globals';
import { accept, complete, FILE, finish, lose, REFUSED, send, settle } from '../actions.ts';
import { chargesOf, money } from '../readings.ts';
import { aKey, ledger, ledgerForEachTest, load } from '../setup.ts';

ledgerForEachTest(() => load(2));

const note = (row: number, credits: number, requestId?: string): Promise<void> =>
  ledger.notePrice(aKey(row), { credits, ...(requestId && { requestId }) });
const RESULT = { outcome: 'succeeded', file: FILE } as const;

async function expectCharge(row: number, charge: object): Promise<void> {
  expect(await chargesOf(row)).toMatchObject([charge]);
}

describe('notePrice', () => {
  it('is the figure of a verdict that knows none, and no charge before', async () => {
    await send(1);
    await note(1, 7, 'q');
    await expectCharge(1, { state: 'sending', reportedPrice: 7, charged: null, chargedFrom: null });
    expect(await money()).toMatchObject({ charged: 0, reserved: 2.5 });
    await settle(1, { verdict: 'done', file: FILE }, RESULT);
    await expectCharge(1, { charged: 7, chargedFrom: 'api', requestId: 'q', quoted: 2.5 });
    expect(await money()).toMatchObject({ charged: 7, estimated: false });
  });

  it('gives way to the figure of the verdict', async () => {
    await send(1);
    await note(1, 7);
    await settle(1, { verdict: 'done', credits: 8, requestId: 'v' }, RESULT);
    await expectCharge(1, { charged: 8, requestId: 'v', reportedPrice: 7 });
  });

  it('is what an answer in doubt counts with, whichever comes first', async () => {
    await send(1);
    await note(1, 7);
    await settle(1, { verdict: 'unknown' }, { outcome: 'unknown' });
    await send(2);
    expect(await money()).toMatchObject({ uncertain: 7, reserved: 2.5 });
    await settle(2, { verdict: 'unknown' }, { outcome: 'unknown' });
    await note(2, 9);
    expect(await money()).toMatchObject({ uncertain: 16, reserved: 0 });
  });

  it('is kept for an answer that was given up, and charges nothing that was refused', async () => {
    await lose(1);
    await note(1, 0);
    await settle(1, { verdict: 'done', file: FILE }, RESULT);
    await expectCharge(1, { charged: 0, chargedFrom: 'api', requestId: null });
    await send(2);
    await note(2, 7);
    await settle(2, { verdict: 'rejected', failure: REFUSED }, { outcome: 'failed', failure: REFUSED });
    await expectCharge(2, { charged: null, chargedFrom: null });
  });

  it('changes nothing that has its verdict, and needs an intent', async () => {
    await complete(1, { requestId: 'v' });
    await note(1, 7, 'late');
    await expectCharge(1, { charged: 2.5, reportedPrice: null, requestId: 'v' });
    await expect(note(2, 7)).rejects.toThrow('No intent');
  });
});

it('a price of nothing is no price of a job before its end, which counts with its quote until then, and is one of a result', async () => {
  await accept(1, { credits: 0 });
  await complete(2, { credits: 0 });
  await expectCharge(1, { charged: 2.5, chargedFrom: 'quote' });
  await expectCharge(2, { charged: 0, chargedFrom: 'api' });
  // At its end it may have cost nothing after all.
  await finish(1, { credits: 0 });
  await expectCharge(1, { charged: 0, chargedFrom: 'api' });
});
