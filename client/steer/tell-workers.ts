import { ServiceError } from '@temporalio/client';
import type { Ledger } from '../../ledger/ledger.ts';
import { VoxbatchError } from '../problem.ts';
import { reachWorker, type Temporal } from '../temporal/open-temporal.ts';
import type { Settings } from '../settings.ts';
import { wakeWorkflow } from '../temporal/start-workflow.ts';

/** Silence of Temporal after which the command says that it waits, ms. */
const SLOW_MS = 2_000;

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
  const slow = setTimeout(() => {
    say('It is recorded. Waiting for Temporal, to notify the workers …');
  }, SLOW_MS);
  try {
    temporal = await reachWorker(settings, say);
    return temporal !== undefined && (await wakeWorkflow(temporal.client, ledger, batch));
  } catch (error) {
    const isUntold = error instanceof ServiceError || error instanceof VoxbatchError;
    throw isUntold ? new VoxbatchError({ type: 'untold', cause: error }) : error;
  } finally {
    clearTimeout(slow);
    await temporal?.close();
  }
}
