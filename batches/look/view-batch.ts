import type { Step } from '../../contract/row-kinds.ts';
import type { ExitName } from '../../contract/exit-codes.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { BatchRecord, Counts, Money, ReasonCount } from '../../ledger/record-types.ts';
import { exitOf } from '../../policy/exit-of.ts';
import { standstillOf, type Standstill } from './standstill.ts';

/** Maximum reasons kept. */
const MOST_REASONS = 5;

/** The ledger's view of a batch at one moment. */
export interface BatchView {
  readonly batch: BatchRecord;
  readonly counts: Counts;
  readonly money: Money;
  /** The five most common reasons for failures, past and present. */
  readonly reasons: readonly ReasonCount[];
  /** Steps of which few requests go at once, until one has told what the API charges. Default: none. */
  readonly untold?: readonly Step[];
  /** Why it does not move; undefined: no known reason. */
  readonly standstill?: Standstill | undefined;
}

/** Reads a batch's counts, sums and reasons. Needs no worker and starts none. */
export async function viewBatch(ledger: Ledger, batch: BatchRecord): Promise<BatchView> {
  const standstill = await standstillOf(ledger, batch);
  return {
    batch,
    counts: await ledger.counts(batch.name),
    money: await ledger.money(batch.name),
    reasons: await ledger.commonReasons(batch.name, MOST_REASONS),
    untold: await ledger.untoldSteps(batch.name),
    standstill,
  };
}

/** The batch's current exit code. `mismatch`: a count or hash did not add up. */
export function exitOfView({ batch, counts }: Pick<BatchView, 'batch' | 'counts'>, mismatch = false): ExitName {
  const isClosed = batch.state === 'closed';
  const pausedBy = batch.control === 'paused' && !isClosed ? batch.pauseReason?.class : undefined;
  const { outcomes, notChosen } = counts;
  return exitOf({ outcomes, notChosen, isClosed, pausedBy, isHalted: batch.halted !== null, mismatch });
}
