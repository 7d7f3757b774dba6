import type { Step } from '../../contract/row-kinds.ts';
import type { ExitName } from '../../contract/exit-codes.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { BatchRecord } from '../../ledger/batches/batch-records.ts';
import type { Counts, Money, ReasonCount } from '../../ledger/batches/counts.ts';
import type { OldestRow } from '../../ledger/batches/progress.ts';
import type { StoreWaits } from '../../ledger/lanes/workers.ts';
import { exitOf } from '../../policy/exit-of.ts';
import type { ApiHealth } from '../../policy/pacing/rate.ts';
import { findStandstill, type FoundStandstill } from './standstill.ts';

/** Max reasons for failures read. */
const MAX_REASONS = 5;

/** The state of a batch in the ledger at one moment. */
export interface BatchView extends FoundStandstill {
  readonly batch: BatchRecord;
  readonly counts: Counts;
  readonly money: Money;
  /** The five most common reasons for failures, past and present. */
  readonly reasons: readonly ReasonCount[];
  /** Steps whose requests are held to a few in flight until an answer reveals the API's price. Default: none. */
  readonly unpricedSteps?: readonly Step[];
  /** The open row whose job has run the longest; undefined if none runs. */
  readonly oldest?: OldestRow | undefined;
  /** Workers that wait for the store; undefined if none does. */
  readonly storeWaits?: StoreWaits | undefined;
  /** How the API's answers slow the batch down; undefined unless it is open. */
  readonly api?: ApiHealth | undefined;
}

/** Reads a batch's counts, sums and reasons. Needs no worker and starts none. */
export async function viewBatch(ledger: Ledger, batch: BatchRecord): Promise<BatchView> {
  const isOpen = batch.state === 'open';
  const api = isOpen ? await ledger.apiHealth(batch) : undefined;
  const found = await findStandstill(ledger, batch, api);
  const storeWaits = isOpen ? await ledger.storeWaits(batch.apiUrl, batch.account) : undefined;
  return {
    batch,
    counts: await ledger.counts(batch.name),
    money: await ledger.money(batch.name),
    reasons: await ledger.commonReasons(batch.name, MAX_REASONS),
    unpricedSteps: await ledger.stepsWithUnknownCharge(batch.name),
    oldest: await ledger.oldestRow(batch.name),
    ...found,
    storeWaits,
    api,
  };
}

/** Returns the batch's current exit code. `mismatch`: a count or hash did not add up. */
export function exitOfView({ batch, counts }: Pick<BatchView, 'batch' | 'counts'>, mismatch = false): ExitName {
  const isClosed = batch.state === 'closed';
  const isPaused = batch.control === 'paused' && !isClosed;
  const pausedBy = isPaused ? batch.pauseReason?.class : undefined;
  const { outcomes, notChosen } = counts;
  return exitOf({ outcomes, notChosen, isClosed, isPaused, pausedBy, isHalted: batch.halted !== null, mismatch });
}

/** Reads a batch's exit code, final or current; undefined if there is no such batch. */
export async function exitOfBatch(ledger: Ledger, name: string): Promise<ExitName | undefined> {
  const batch = await ledger.findBatch(name);
  return batch === undefined ? undefined : exitOfView({ batch, counts: await ledger.counts(name) });
}
