import { gatherLeftovers } from '../../batches/look/leftovers.ts';
import { viewPilot } from '../../batches/subset/pilot.ts';
import type { ManifestPlan } from '../../batches/plan/plan-manifest.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { nextSteps } from '../terminal/next-steps.ts';
import { shortPath } from '../../client/look/command-args.ts';

/**
 * What can be done about the rows of a finished batch, as its summary says it. `out`: folder of its files, absolute. Empty for any other plan, and
 * without what a plan says itself: how to send rows over the budget.
 */
export async function stepsOnRecord(
  ledger: Ledger | undefined,
  planned: ManifestPlan,
  out: string,
): Promise<readonly string[]> {
  if (ledger === undefined || planned.type !== 'known' || planned.batch.state !== 'closed') return [];
  const { batch, left } = planned;
  const [counts, money] = [await ledger.counts(batch.name), await ledger.money(batch.name)];
  const leftovers = await gatherLeftovers(ledger, batch, counts);
  const pilot = await viewPilot(ledger, batch);
  const finished = { batch, counts, money, leftovers, pilot, out: shortPath(out) };
  return nextSteps(finished, left.overBudget.rows > 0 ? ['skipped'] : []);
}
