import { expect, it } from '@jest/globals';
import { accept, ask, finish } from '../../ledger/actions.ts';
import { aRow, ledger, ledgerForEachTest, load, upTo } from '../../ledger/setup.ts';
import { stepsNow } from './steps-now.ts';

/** Three rows quoted at 10, a budget of 60, and an API that charges 50 for the first: the others do not fit. */

ledgerForEachTest(() =>
  load(
    upTo(3).map((row) => ({ ...aRow(row), quoted: 10 })),
    { settings: { budget: 60 } },
  ),
);

async function spend(credits: number): Promise<void> {
  await accept(1, {}, { quoted: 10 });
  await finish(1, { credits });
  for (const row of [2, 3]) await ask(row, { quoted: 10 });
}

it('a budget that covers the quotes of skipped rows is not sufficient after dearer charges', async () => {
  await spend(50);
  expect((await ledger.counts('b')).outcomes.skipped).toBe(2);
  // Their quotes would fit, and run would open none of them.
  await ledger.tune('b', { budget: 75 });
  expect(await stepsNow()).toEqual(['2 rows not sent: over the budget. To send them: voxbatch run b.csv --budget 150']);
  await ledger.tune('b', { budget: 150 });
  expect(await stepsNow()).toEqual([expect.stringContaining('The budget is sufficient now')]);
});

it('a budget has to cover the quotes, if nothing was charged beyond them', async () => {
  await ledger.tune('b', { budget: 10 });
  await spend(10);
  expect(await stepsNow()).toEqual(['2 rows not sent: over the budget. To send them: voxbatch run b.csv --budget 30']);
});
