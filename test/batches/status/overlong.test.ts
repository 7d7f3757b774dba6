import { expect, it } from '@jest/globals';
import { gatherLeftovers } from '../../../batches/status/leftovers.ts';
import { nextSteps } from '../../../starters/terminal/next-steps.ts';
import { aBatch, aKey, aRow, INTENT, batchOf, ledger, ledgerForEachTest } from '../../ledger/setup.ts';

/** Two results of 5 s, of which one may play for 4 s only. */

const FILE = { key: 'k.mp3', bytes: 1, sha256: 'a'.repeat(64), extension: 'mp3', seconds: 5 };
let columns: readonly string[] = [];

ledgerForEachTest();

async function stepsNow(): Promise<readonly string[]> {
  const loading = await ledger.createBatch({ ...aBatch(), columns });
  const rows = [aRow(1), aRow(2)].map((row, at) => ({ ...row, spec: { ...row.spec, max_seconds: at === 0 ? 4 : 5 } }));
  await ledger.addRows(loading, rows);
  await ledger.openBatch(loading, 2);
  for (const row of [1, 2]) {
    await ledger.intend(aKey(row), INTENT);
    await ledger.settle(aKey(row), { verdict: 'accepted', jobId: `j${String(row)}` }, { state: 'processing' });
    await ledger.finishJob(aKey(row), { credits: 1 }, { outcome: 'succeeded', file: FILE });
  }
  const [batch, counts] = [await batchOf(), await ledger.counts('b')];
  const leftovers = await gatherLeftovers(ledger, batch, counts);
  return nextSteps({ batch, counts, money: await ledger.money('b'), leftovers, out: 'out/b' });
}

it.each([
  { speed: 'speed', advice: 'Shorten the text or raise speed' },
  // A redrive cannot add columns.
  { speed: 'note', advice: 'Shorten the text' },
])('a result that plays longer than its row allows is named: $advice', async ({ speed, advice }) => {
  columns = ['text', 'max_seconds', speed];
  expect(await stepsNow()).toEqual([
    '1 row with a result that plays longer than max_seconds allows (r1); _message says by how much. ' +
      `${advice}, then: voxbatch redrive b --from b.csv`,
  ]);
});

it('a batch without such a column is not read for it', async () => {
  columns = ['text'];
  expect(await stepsNow()).toEqual([]);
});
