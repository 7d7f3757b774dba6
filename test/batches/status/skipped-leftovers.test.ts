import { expect, it } from '@jest/globals';
import { gatherLeftovers } from '../../../batches/status/leftovers.ts';
import { nextSteps } from '../../../starters/terminal/next-steps.ts';
import { aBatch, aKey, aRow, INTENT, batchOf, ledger, ledgerForEachTest } from '../../ledger/setup.ts';

/** Three rows quoted at 10, a budget of 60, and an API that charges 50 for the first: the others do not fit. */

ledgerForEachTest(async () => {
  const batch = aBatch();
  const loading = await ledger.createBatch({ ...batch, settings: { ...batch.settings, budget: 60 } });
  await ledger.addRows(
    loading,
    [1, 2, 3].map((row) => ({ ...aRow(row), quoted: 10 })),
  );
  await ledger.openBatch(loading, 3);
});

async function stepsNow(): Promise<string> {
  const batch = await batchOf();
  const counts = await ledger.counts('b');
  const leftovers = await gatherLeftovers(ledger, batch, counts);
  return nextSteps({ batch, counts, money: await ledger.money('b'), leftovers, out: 'out/b' }).join('\n');
}

async function spend(credits: number): Promise<void> {
  const intent = { ...INTENT, quoted: 10 };
  await ledger.intend(aKey(1), intent);
  await ledger.settle(aKey(1), { verdict: 'accepted', jobId: 'j' }, { state: 'processing' });
  await ledger.finishJob(aKey(1), { credits }, { outcome: 'succeeded' });
  for (const row of [2, 3]) await ledger.intend(aKey(row), intent);
}

it('a budget that covers the quotes of skipped rows is not sufficient after dearer charges', async () => {
  await spend(50);
  expect((await ledger.counts('b')).outcomes.skipped).toBe(2);
  // Their quotes would fit, and run would open none of them.
  await ledger.tune('b', { budget: 75 });
  expect(await stepsNow()).toBe('2 rows not sent: over the budget. To send them: voxbatch run b.csv --budget 150');
  await ledger.tune('b', { budget: 150 });
  expect(await stepsNow()).toContain('The budget is sufficient now');
});

it('a budget has to cover the quotes, if nothing was charged beyond them', async () => {
  await ledger.tune('b', { budget: 10 });
  await spend(10);
  expect(await stepsNow()).toBe('2 rows not sent: over the budget. To send them: voxbatch run b.csv --budget 30');
});
