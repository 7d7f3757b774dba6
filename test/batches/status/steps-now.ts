import { gatherLeftovers } from '../../../batches/status/leftovers.ts';
import { nextSteps } from '../../../starters/terminal/next-steps.ts';
import { batchOf, money } from '../../ledger/readings.ts';
import { ledger } from '../../ledger/setup.ts';

/** What a person is told to do next with the batch of the test. */
export async function stepsNow(): Promise<readonly string[]> {
  const [batch, counts] = [await batchOf(), await ledger.counts('b')];
  const leftovers = await gatherLeftovers(ledger, batch, counts);
  return nextSteps({ batch, counts, money: await money(), leftovers, out: 'out/b' });
}
