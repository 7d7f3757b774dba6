import { ApiError } from '../../api/speech-api.ts';
import type { FailureClass } from '../../contract/failures.ts';
import type { Dependencies } from '../dependencies.ts';
import { readInTurn } from './read-in-turn.ts';

/** Maximum reads of one page. Several, because trouble that lost the answer to a request often lasts for a while. */
const MAX_READS = 6;
/** Failures of a read that may be temporary. */
const TEMPORARY: readonly FailureClass[] = ['NotSent', 'RateLimited', 'ServiceDown'];

/**
 * Reads a page of a list in turn ({@link readInTurn}), and retries temporary failures. Retries need no pause of their
 * own: the reported failures make all reads pause.
 */
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
      if (!isTemporary || reads >= MAX_READS) throw error;
    }
  }
}
