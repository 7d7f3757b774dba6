import { ServiceError } from '@temporalio/client';
import type { Ledger } from '../ledger/ledger.ts';
import type { Temporal } from './open-temporal.ts';
import { VoxbatchError } from './problem.ts';
import { reachWorker } from './reach-worker.ts';
import type { Settings } from './settings.ts';
import { wakeWorkflow } from './start-workflow.ts';

export interface News {
  readonly settings: Settings;
  readonly ledger: Ledger;
  /** Name of the batch. */
  readonly batch: string;
  readonly say: (line: string) => void;
}

/**
 * Wakes whoever works on the batch for a wish that is in the ledger already. Resolves with false if nobody does: the
 * wish then waits in the ledger for the next worker. Throws {@link VoxbatchError} (`untold`) if Temporal cannot be
 * told; the wish stays on record all the same.
 */
export async function tellWorkers({ settings, ledger, batch, say }: News): Promise<boolean> {
  let temporal: Temporal | undefined;
  try {
    temporal = await reachWorker(settings, say);
    return temporal !== undefined && (await wakeWorkflow(temporal.client, ledger, batch));
  } catch (error) {
    const isUntold = error instanceof ServiceError || error instanceof VoxbatchError;
    throw isUntold ? new VoxbatchError({ type: 'untold', cause: error }) : error;
  } finally {
    await temporal?.close();
  }
}
