import { isDeepStrictEqual } from 'node:util';
import { billNewlyChosen, openNewlyChosen, type NewlyChosen } from '../../batches/subset/newly-chosen.ts';
import { areRowsCleaned } from '../../batches/clean/clean-batch.ts';
import { budgetLeftFor } from '../../batches/redrive/redrive.ts';
import type { SkippedRoom } from '../../batches/plan/skipped-rows.ts';
import type { IsChosen } from '../../policy/subset/subset.ts';
import type { Tuning } from '../../contract/tunables.ts';
import type { SoundManifest } from '../../inputs/read-manifest.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { BatchRecord } from '../../ledger/record-types.ts';

/** Rows that earlier runs of a batch, or its budget, left out and this one sends, and their price. */
export interface MoreRows extends NewlyChosen {
  readonly batch: BatchRecord;
  /** Credits left of the batch's budget, after the tuning; null if it has none. */
  readonly budget: number | null;
  /** Which of the rows that an earlier subset left out. */
  readonly isChosen: IsChosen;
  /** Which of the rows that the budget left out; undefined: there are none. */
  readonly skipped: SkippedRoom | undefined;
}

/**
 * Finds and prices such rows. Changes nothing. `tuning`: changes of the batch that come with them. Undefined: there are
 * none.
 */
export async function findMore(
  ledger: Ledger,
  batch: BatchRecord,
  { summary, options }: SoundManifest,
  tuning: Tuning,
): Promise<MoreRows | undefined> {
  const { total, notChosen, outcomes } = await ledger.counts(batch.name);
  const { subset = null } = options;
  // The same subset again is complete. An earlier version may have drawn other rows for it than this one would.
  const isComplete = total - notChosen === subset?.rows && isDeepStrictEqual(batch.subset, subset);
  const isSkipped = outcomes.skipped > notChosen;
  if ((!isSkipped && (notChosen === 0 || isComplete)) || areRowsCleaned(batch)) return undefined;
  const budget = await budgetLeftFor(ledger, batch, tuning);
  const isChosen: IsChosen = isComplete ? () => false : summary.isChosen;
  const outlook = await ledger.chargeOutlook(batch.name);
  const skipped = isSkipped
    ? { isChosen: isComplete ? () => true : summary.isChosen, left: budget, outlook }
    : undefined;
  const more = await billNewlyChosen(ledger, batch, isChosen, budget, skipped);
  return more.rows === 0 ? undefined : { ...more, batch, budget, isChosen, skipped };
}

/**
 * Opens such rows, and with them the batch. Returns how many it opened: fewer, or none, if the batch is being stopped.
 */
export async function openMore(
  ledger: Ledger,
  { batch, isChosen, skipped }: MoreRows,
  { options }: SoundManifest,
): Promise<number> {
  const { subset = null } = options;
  return openNewlyChosen(ledger, batch, subset, isChosen, skipped);
}
