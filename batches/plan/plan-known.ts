import type { Tuning } from '../../contract/tunables.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { BatchRecord } from '../../ledger/batches/batch-records.ts';
import { budgetFor } from '../../policy/money/budget.ts';
import { applyTuning } from '../../policy/tuning.ts';
import { budgetLeftFor } from '../redrive/redrive.ts';
import { selectLeftOut } from './select-left-out.ts';
import { lookUpsOf, type NewPlanRequest } from './plan-new.ts';
import { billRemaining, type RemainingBill } from './bill-remaining.ts';

/** A valid manifest that may belong to a batch on record. */
export interface KnownPlanRequest extends NewPlanRequest {
  /** The tunables given as options; they apply to an existing batch, too. */
  readonly tuning: Tuning;
}

/** What a batch on record still has to pay for. */
export interface KnownBatchPlan {
  readonly batch: BatchRecord;
  readonly left: RemainingBill;
  /** Credits left of the batch's budget; null if it has none. */
  readonly budget: number | null;
  /** The budget, in credits, that would cover all of this based on charges so far; null if a price is unknown. */
  readonly enough: number | null;
}

/** Bills what a run of a recorded batch still has to pay for. */
export async function planKnown(
  batch: BatchRecord,
  ledger: Ledger,
  request: KnownPlanRequest,
): Promise<KnownBatchPlan> {
  const { checked, tuning } = request;
  const settings = applyTuning(batch.settings, tuning);
  const budget = await budgetLeftFor(ledger, batch, tuning);
  const known = { ...batch, settings: { ...batch.settings, ...settings } };
  const billing = { ...lookUpsOf(request), settings: known.settings, budget };
  const left = await billRemaining(ledger, known, await selectLeftOut(ledger, batch, checked, budget), billing);
  const enough = left.needed === null ? null : budgetFor(await ledger.money(batch.name), left.needed);
  return { batch: known, left, budget, enough };
}
