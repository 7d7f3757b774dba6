import { ApiError } from '../../api/speech-api.ts';
import type { Dependencies } from '../dependencies.ts';
import { waitUntilDue } from '../pacing/pace.ts';
import { reportHealth } from '../pacing/report-health.ts';

/**
 * Makes a free read when its turn comes within the batch's rate, and reports to all processes what the answer says
 * about the API's health. Returns what `read` returns. Rejects as `read` does, or if the signal aborts before its turn.
 */
export async function readInTurn<T>(
  deps: Pick<Dependencies, 'ledger' | 'batches' | 'realm' | 'owner' | 'clock' | 'pace' | 'reads' | 'observe'>,
  batch: string,
  signal: AbortSignal,
  read: () => Promise<T>,
): Promise<T> {
  const turn = await deps.pace.take(deps, 'read', batch, signal);
  return deps.reads(async () => {
    await waitUntilDue(deps, turn);
    try {
      const answer = await read();
      await reportHealth(deps, turn, null);
      return answer;
    } catch (error) {
      if (error instanceof ApiError && !signal.aborted) await reportHealth(deps, turn, error.failure);
      throw error;
    }
  });
}
