import { KIND_FACTS, type Step } from '../contract/row-kinds.ts';
import { isChargeKnown, worstRatio } from '../policy/charge-ratio.ts';
import { findBatch } from './batches.ts';
import type { Db } from './schema.ts';

/** See {@link Ledger.untoldSteps}. */
export async function untoldSteps(db: Db, batch: string): Promise<readonly Step[]> {
  const found = await findBatch(db, batch);
  if (found?.state !== 'open' || found.settings.budget === null) return [];
  const { prices } = found.settings;
  const lines = await db.selectFrom('charge_ratios').selectAll().where('batch', '=', batch).orderBy('step').execute();
  const steps = Object.values(KIND_FACTS).flatMap((kind) => kind.steps);
  const isEstimate = (step: Step): boolean =>
    steps.some(
      (one) => one.step === step && [one.operation, one.atOnce].some((by) => by !== undefined && prices[by].estimate),
    );
  return lines.flatMap((line) => (isEstimate(line.step) && !isChargeKnown(line) ? [line.step] : []));
}

/** See {@link Ledger.worstRatio}. */
export async function worstRatioOf(db: Db, batch: string): Promise<number> {
  const lines = await db.selectFrom('charge_ratios').selectAll().where('batch', '=', batch).execute();
  return Math.max(1, ...lines.map(worstRatio));
}
