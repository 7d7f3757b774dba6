import type { Step } from '../contract/row-kinds.ts';
import { isChargeKnown } from '../policy/charge-ratio.ts';
import { findBatch } from './batches.ts';
import { knownRatios } from './charge-ratios.ts';
import { openRequestsOf } from './open-requests.ts';
import type { ChargeOutlook } from './batch-methods.ts';
import type { Db } from './schema.ts';

/** See {@link Ledger.untoldSteps}. */
export async function untoldSteps(db: Db, batch: string): Promise<readonly Step[]> {
  const found = await findBatch(db, batch);
  if (found?.state !== 'open' || found.settings.budget === null) return [];
  const { prices } = found.settings;
  const lines = await knownRatios(db, batch);
  const begun = lines.filter(({ operation }) => prices[operation].estimate);
  const untold = begun.filter(({ operation }) => !isChargeKnown(lines.filter((line) => line.operation === operation)));
  return [...new Set(untold.map(({ step }) => step))].toSorted();
}

/** See {@link Ledger.chargeOutlook}. */
export async function chargeOutlook(db: Db, batch: string): Promise<ChargeOutlook> {
  const ratios = await knownRatios(db, batch);
  const { beyondLost } = await openRequestsOf(db, batch);
  return { ratios, beyondLost };
}
