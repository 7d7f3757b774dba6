import type { ExitName } from '../contract/exit-codes.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { BatchRecord, Counts, Money, ReasonCount } from '../ledger/record-types.ts';
import { isDeserted } from './anybody-in.ts';
import { chooseBatch, openRecords } from './open-records.ts';
import { standstillOf, type Standstill } from './standstill.ts';
import { readSettings, type Settings } from './settings.ts';
import { exitOf } from './terminal/exit-of.ts';

/** Reasons that are shown. */
const SHOWN_REASONS = 5;

/** A batch as the ledger has it at one moment. */
export interface BatchView {
  readonly batch: BatchRecord;
  readonly counts: Counts;
  readonly money: Money;
  /** The commonest reasons why rows failed, or fail now. */
  readonly reasons: readonly ReasonCount[];
  /** True if it is certain that nobody works on it. */
  readonly isDeserted: boolean;
  /** Why it does not move. That nobody is there is known better by `isDeserted`, but on a cluster, where a worker is what it wants. */
  readonly standstill?: Standstill | undefined;
}

/**
 * Opens the ledger for a command that only looks, and closes it afterwards. Makes nothing: where there is no ledger yet,
 * that is an error with the next command.
 */
export async function lookAtLedger<T>(work: (ledger: Ledger, settings: Settings) => Promise<T>): Promise<T> {
  const settings = await readSettings();
  const ledger = await openRecords(settings, { mustExist: true });
  try {
    return await work(ledger, settings);
  } finally {
    await ledger.close();
  }
}

/** Reads a batch with its counts and sums, and looks whether somebody is at work; without a name the newest one. */
export async function viewBatch(ledger: Ledger, settings: Settings, name: string | undefined): Promise<BatchView> {
  const batch = await chooseBatch(ledger, name);
  const isOpen = batch.state === 'open';
  const standstill = await standstillOf(ledger, batch);
  return {
    batch,
    standstill: standstill === 'no-worker' && settings.cluster === undefined ? undefined : standstill,
    counts: await ledger.counts(batch.name),
    money: await ledger.money(batch.name),
    reasons: await ledger.commonReasons(batch.name, SHOWN_REASONS),
    isDeserted: isOpen && isDeserted(ledger, settings.home),
  };
}

/** The exit code of a batch as it stands. */
export function exitOfView({ batch, counts }: Pick<BatchView, 'batch' | 'counts'>, mismatch = false): ExitName {
  const isClosed = batch.state === 'closed';
  const pausedBy = batch.control === 'paused' && !isClosed ? batch.pauseReason?.class : undefined;
  return exitOf({ outcomes: counts.outcomes, isClosed, pausedBy, isHalted: batch.halted !== null, mismatch });
}
