import type { Operation, Step } from '../contract/row-kinds.ts';
import { isChargeKnown, type ChargeRatio } from '../policy/money/charge-ratio.ts';
import { findBatch } from './batches.ts';
import { knownRatios } from './charge-ratios.ts';
import { openRequestsOf } from './open-requests.ts';
import type { Db } from './schema.ts';

/** What open and further requests of a batch may cost. */
export interface ChargeOutlook {
  /** What was charged beside the quotes, by operation and size; none for those that were not sent under a budget. */
  readonly ratios: readonly (ChargeRatio & { readonly operation: Operation })[];
  /** What requests whose charge may never be known may have cost beyond what counts for them, in credits. */
  readonly beyondLost: number;
}

/**
 * Steps of which few requests go at once, until one has told what the API charges: the batch has a budget, and their
 * prices are estimates.
 */
export async function untoldSteps(db: Db, batch: string): Promise<readonly Step[]> {
  const found = await findBatch(db, batch);
  if (found?.state !== 'open' || found.settings.budget === null) return [];
  const { prices } = found.settings;
  const lines = await knownRatios(db, batch);
  const begun = lines.filter(({ operation }) => prices[operation].estimate);
  const untold = begun.filter(({ operation }) => !isChargeKnown(lines.filter((line) => line.operation === operation)));
  return [...new Set(untold.map(({ step }) => step))].toSorted();
}

/** What requests of the batch may cost, by what was charged under a budget so far. */
export async function chargeOutlook(db: Db, batch: string): Promise<ChargeOutlook> {
  const ratios = await knownRatios(db, batch);
  const { beyondLost } = await openRequestsOf(db, batch);
  return { ratios, beyondLost };
}
