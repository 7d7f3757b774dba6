import { expect, it } from '@jest/globals';
import { FILE, succeed } from '../../ledger/actions.ts';
import { aRow, ledgerForEachTest, load } from '../../ledger/setup.ts';
import { stepsNow } from './steps-now.ts';

/** Two results of 5 s, of which one may play for 4 s only. */

ledgerForEachTest();

async function stepsOf(columns: readonly string[]): Promise<readonly string[]> {
  const rows = [aRow(1), aRow(2)].map((row, at) => ({ ...row, spec: { ...row.spec, max_seconds: at === 0 ? 4 : 5 } }));
  await load(rows, { columns });
  for (const row of [1, 2]) await succeed(row, 1, { ...FILE, seconds: 5 });
  return stepsNow();
}

it.each([
  { speed: 'speed', advice: 'Shorten the text or raise speed' },
  // A redrive cannot add columns.
  { speed: 'note', advice: 'Shorten the text' },
])('a result that plays longer than its row allows is named: $advice', async ({ speed, advice }) => {
  expect(await stepsOf(['text', 'max_seconds', speed])).toEqual([
    '1 row with a result that plays longer than max_seconds allows (r1); _message says by how much. ' +
      `${advice}, then: voxbatch redrive b --from b.csv`,
  ]);
});

it('a batch without such a column is not read for it', async () => {
  expect(await stepsOf(['text'])).toEqual([]);
});
