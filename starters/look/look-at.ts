import { viewBatch, type BatchView } from '../../batches/view-batch.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { isDeserted } from '../../client/anybody-in.ts';
import { chooseBatch, openRecords } from '../../client/open-records.ts';
import type { Settings } from '../../client/settings.ts';
import { readSettings } from '../connect/settings.ts';

/** A batch as it stands, and whether anybody on this machine works on it. */
export interface LocalView extends BatchView {
  /** True if it is certain that nobody works on it. */
  readonly isDeserted: boolean;
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
export async function viewHere(ledger: Ledger, settings: Settings, name: string | undefined): Promise<LocalView> {
  const view = await viewBatch(ledger, await chooseBatch(ledger, name));
  const { batch, standstill } = view;
  return {
    ...view,
    // That nobody is there is known better by `isDeserted`, but on a cluster, where a worker is what it wants.
    standstill: standstill === 'no-worker' && settings.cluster === undefined ? undefined : standstill,
    isDeserted: batch.state === 'open' && (await isDeserted(ledger, settings.home)),
  };
}
