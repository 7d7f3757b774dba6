import { viewBatch, type BatchView } from '../../batches/look/view-batch.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { WorkerEnd } from '../../ledger/workers.ts';
import { isDeserted } from '../../client/temporal/anybody-in.ts';
import { chooseBatch } from '../../client/open-records.ts';
import { isStranger } from '../../client/trust/known-ledgers.ts';
import type { Settings } from '../../client/settings.ts';

/** A batch as it stands, and whether anybody on this machine works on it. */
export interface LocalView extends BatchView {
  /** True if it is certain that nobody works on it. */
  readonly isDeserted: boolean;
  /** True if the ledger may have come with the folder, so that no command is advised from it. */
  readonly isStranger: boolean;
  /** Why the last worker ended, if it could not go on and nobody works on the batch now. */
  readonly workerEnd?: WorkerEnd | undefined;
}

/** Reads a batch with its counts and sums, and looks whether somebody is at work; without a name the newest one. */
export async function viewHere(ledger: Ledger, settings: Settings, name: string | undefined): Promise<LocalView> {
  const view = await viewBatch(ledger, await chooseBatch(ledger, name));
  const { batch, standstill } = view;
  const isLeft = batch.state === 'open' && (await isDeserted(ledger, settings.home));
  return {
    ...view,
    // That nobody is there is known better by `isDeserted`, but on a cluster, where a worker is what it wants.
    standstill: standstill === 'no-worker' && settings.cluster === undefined ? undefined : standstill,
    isDeserted: isLeft,
    isStranger: isStranger(settings, ledger),
    workerEnd: isLeft ? await ledger.lastWorkerEnd(batch.apiUrl, batch.account) : undefined,
  };
}
