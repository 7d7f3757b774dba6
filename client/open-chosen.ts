import { isDeepStrictEqual } from 'node:util';
import { billNewlyChosen, openNewlyChosen, type NewlyChosen } from '../batches/newly-chosen.ts';
import { areRowsCleaned } from '../batches/clean-batch.ts';
import { budgetLeftFor } from '../batches/redrive.ts';
import type { Tuning } from '../contract/tunables.ts';
import type { SoundManifest } from '../inputs/read-manifest.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { BatchRecord } from '../ledger/record-types.ts';

/** Rows that earlier runs of a batch left out and this one selects, and their price. */
export interface MoreRows extends NewlyChosen {
  readonly batch: BatchRecord;
  /** Credits left of the batch's budget, after the tuning; null if it has none. */
  readonly budget: number | null;
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
  const { total, notChosen } = await ledger.counts(batch.name);
  const { subset = null } = options;
  // The same subset again is complete. An earlier version may have drawn other rows for it than this one would.
  const isComplete = total - notChosen === subset?.rows && isDeepStrictEqual(batch.subset, subset);
  if (notChosen === 0 || isComplete || areRowsCleaned(batch)) return undefined;
  const budget = await budgetLeftFor(ledger, batch, tuning);
  const more = await billNewlyChosen(ledger, batch, summary.isChosen, budget);
  return more.rows === 0 ? undefined : { ...more, batch, budget };
}

/**
 * Opens such rows, and with them the batch. Returns how many it opened: fewer, or none, if the batch is being stopped.
 */
export async function openMore(
  ledger: Ledger,
  { batch }: MoreRows,
  { summary, options }: SoundManifest,
): Promise<number> {
  const { subset = null } = options;
  return openNewlyChosen(ledger, batch.name, subset, summary.isChosen);
}
