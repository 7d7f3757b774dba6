import { expect, it } from '@jest/globals';
import type { Ledger } from '../../ledger/ledger.ts';
import { expectKept } from './recount.ts';
import { aBatch, aKey, aRow, INTENT, ledgerForEachTest, redriveNow } from './setup.ts';

/** A file that is fetched again takes no room from a budget: it was paid for long ago. */

let ledger: Ledger;
ledgerForEachTest(async (made) => {
  ledger = made;
  const batch = aBatch();
  await ledger.createBatch({ ...batch, settings: { ...batch.settings, budget: 120 } });
  await ledger.addRows(
    'b',
    [1, 2].map((row) => ({ ...aRow(row), quoted: 10 })),
  );
  await ledger.openBatch('b', 2);
});

const fileOf = (take: number) => {
  return { key: `b/1-${take}.mp3`, bytes: 3, sha256: String(take).repeat(64), extension: 'mp3' } as const;
};

async function make(take: number, credits: number): Promise<void> {
  const key = aKey(1, 1, take);
  const file = fileOf(take);
  expect((await ledger.intend(key, { ...INTENT, quoted: 10 })).type).toBe('go');
  await ledger.settle(key, { verdict: 'accepted', jobId: `j${take}` }, { state: 'processing' });
  await ledger.finishJob(key, { file, credits }, { outcome: 'succeeded', file });
}

it('is not counted at the worst ratio, and tells nothing anew', async () => {
  await make(1, 10);
  await redriveNow(ledger, 'b', [{ row: 1, take: 1, how: { type: 'pay', fromStep: 'speech', reason: 'redrive' } }]);
  await make(2, 50);
  const { ratios } = await ledger.chargeOutlook('b');
  const earlier = { take: 1, who: 'ann', isLost: true };
  await redriveNow(ledger, 'b', [{ row: 1, take: 2, how: { type: 'accept', earlier } }]);
  // 60 are charged, and one at 50 fits.
  expect(await ledger.chargeOutlook('b')).toEqual({ ratios, beyondLost: 0 });
  expect((await ledger.intend(aKey(2), { ...INTENT, quoted: 10 })).type).toBe('go');
  await ledger.finishJob(aKey(1), { file: fileOf(1), credits: 10 }, { outcome: 'succeeded', file: fileOf(1) });
  expect((await ledger.chargeOutlook('b')).ratios).toEqual(ratios);
  await expectKept(ledger, 'b');
});

it('is not counted with its quote, if it was charged less', async () => {
  await make(1, 1);
  await redriveNow(ledger, 'b', [{ row: 1, take: 1, how: { type: 'pay', fromStep: 'speech', reason: 'redrive' } }]);
  await make(2, 109);
  await redriveNow(ledger, 'b', [
    { row: 1, take: 2, how: { type: 'accept', earlier: { take: 1, who: 'ann', isLost: true } } },
  ]);
  await expectKept(ledger, 'b');
  await ledger.tune('b', { budget: 219 });
  expect((await ledger.intend(aKey(2), { ...INTENT, quoted: 10 })).type).toBe('go');
});
