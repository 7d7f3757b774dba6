import { setTimeout as sleep } from 'node:timers/promises';
import type { Verdict } from '../api/speech-api.ts';
import type { AttemptKey } from '../contract/batch.ts';
import { LedgerUnreachable } from '../ledger/errors.ts';
import { StoreUnwritable } from '../store/errors.ts';
import type { Dependencies } from './dependencies.ts';

/** A verdict that could not be written is written again after this, ms. */
const RETRY_EVERY_MS = 500;
/** Retries go on for so long once the work was taken away, or the process is to end, ms. */
const LAST_RETRIES_MS = 10_000;

/**
 * Writes what an answer to a paid request said, and retries where the disk does not take it: the answer comes once, and
 * a row whose answer is lost may have been charged for nothing. What was paid for is logged first, so that a person can name
 * the job if all else fails. The fault is told at once: nothing more is paid for meanwhile.
 */
export async function retryUntilRecorded<T>(
  deps: Pick<Dependencies, 'log' | 'onFault' | 'ending' | 'cutting'>,
  key: AttemptKey,
  verdict: Verdict<unknown>,
  signal: AbortSignal,
  write: () => Promise<T>,
): Promise<T> {
  let retriesLeft = LAST_RETRIES_MS / RETRY_EVERY_MS;
  for (let tries = 1; ; tries++) {
    try {
      return await write();
    } catch (error) {
      const isDisk = error instanceof LedgerUnreachable || error instanceof StoreUnwritable;
      if (tries === 1) {
        const jobId = verdict.verdict === 'accepted' ? { jobId: verdict.jobId } : {};
        const words = error instanceof Error ? error.message : String(error);
        deps.log.error({ ...key, ...jobId, verdict: verdict.verdict }, `an answer cannot be recorded: ${words}`);
      }
      if (!isDisk) throw error;
      if (tries === 1) deps.onFault(error);
      if (signal.aborted || deps.ending.aborted) retriesLeft -= 1;
      if (retriesLeft <= 0 || deps.cutting.aborted) throw error;
      await sleep(RETRY_EVERY_MS);
    }
  }
}
