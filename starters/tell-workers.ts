import { ServiceError } from '@temporalio/client';
import type { Ledger } from '../ledger/ledger.ts';
import { ExitError, messageOf } from './exit-error.ts';
import type { Temporal } from './open-temporal.ts';
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
 * Carries the news of a wish that is in the ledger already to whoever works on the batch. Resolves with false if nobody does: the
 * wish then waits in the ledger for the next who does. Where Temporal cannot be told, that is an error, but the wish stays on
 * record.
 */
export async function tellWorkers({ settings, ledger, batch, say }: News): Promise<boolean> {
  let temporal: Temporal | undefined;
  try {
    temporal = await reachWorker(settings, say);
    return temporal !== undefined && (await wakeWorkflow(temporal.client, ledger, batch));
  } catch (error) {
    if (!(error instanceof ServiceError || error instanceof ExitError)) throw error;
    throw new ExitError(
      'unreachable',
      `It is recorded, and every paid request checks it from now on. But the workers could not be notified. ${messageOf(error)} ` +
        'Run the same command again when Temporal is back.',
      { cause: error },
    );
  } finally {
    await temporal?.close();
  }
}
