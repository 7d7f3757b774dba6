import { ApiError } from '../../api/speech-api.ts';
import type { FailureClass } from '../../contract/failures.ts';
import type { Dependencies } from '../dependencies.ts';
import { readInTurn } from './read-in-turn.ts';

/** Failed reads of a page before the look-up fails; trouble that lost a create often lasts for a while. */
const MOST_READS = 6;
/** Read failures that may be temporary. */
const TEMPORARY: readonly FailureClass[] = ['NotSent', 'RateLimited', 'ServiceDown'];

/** Reads a page of a list in turn; retries if that may help, with the pauses that all reads then make. */
export async function readWithRetries<T>(
  deps: Dependencies,
  batch: string,
  signal: AbortSignal,
  read: () => Promise<T>,
): Promise<T> {
  for (let reads = 1; ; reads++) {
    try {
      return await readInTurn(deps, batch, signal, read);
    } catch (error) {
      const isTemporary = error instanceof ApiError && TEMPORARY.includes(error.failure.class) && !signal.aborted;
      if (!isTemporary || reads >= MOST_READS) throw error;
    }
  }
}
