import type { ExitName } from '../contract/exit-codes.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { BatchRecord, Counts, Money, ReasonCount } from '../ledger/record-types.ts';
import { exitOf } from '../policy/exit-of.ts';
import { standstillOf, type Standstill } from './standstill.ts';

/** Reasons that are kept. */
const MOST_REASONS = 5;

/** A batch as the ledger has it at one moment. */
export interface BatchView {
  readonly batch: BatchRecord;
  readonly counts: Counts;
  readonly money: Money;
  /** The five commonest reasons why rows failed, or fail now. */
  readonly reasons: readonly ReasonCount[];
  /** Why it does not move; undefined where nothing is known to be in its way. */
  readonly standstill?: Standstill | undefined;
}

/** Reads how a batch stands: counts, sums, reasons. Needs no worker and starts none. */
export async function viewBatch(ledger: Ledger, batch: BatchRecord): Promise<BatchView> {
  const standstill = await standstillOf(ledger, batch);
  return {
    batch,
    counts: await ledger.counts(batch.name),
    money: await ledger.money(batch.name),
    reasons: await ledger.commonReasons(batch.name, MOST_REASONS),
    standstill,
  };
}

/** The exit code of a batch as it stands. `mismatch`: something that was counted or hashed did not add up. */
export function exitOfView({ batch, counts }: Pick<BatchView, 'batch' | 'counts'>, mismatch = false): ExitName {
  const isClosed = batch.state === 'closed';
  const pausedBy = batch.control === 'paused' && !isClosed ? batch.pauseReason?.class : undefined;
  const { outcomes, notChosen } = counts;
  return exitOf({ outcomes, notChosen, isClosed, pausedBy, isHalted: batch.halted !== null, mismatch });
}
