import { messageOf } from '../contract/message-of.ts';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Verdict } from '../api/speech-api.ts';
import type { AttemptKey } from '../contract/batch.ts';
import { LedgerUnreachable } from '../ledger/errors.ts';
import { StoreUnwritable } from '../store/errors.ts';
import type { Dependencies } from './dependencies.ts';

/** Retry interval of a failed write, ms. */
const RETRY_EVERY_MS = 500;
/** How long retries continue after the work was taken away, or while the process shuts down, ms. */
const LAST_RETRIES_MS = 10_000;

/**
 * Writes what the answer to a paid request said, and retries while the disk refuses it: the answer comes once, and a
 * row whose answer is lost may have been charged for nothing. It first logs what was paid for, so that a person can
 * name the job if all else fails. It reports the fault at once: nothing more is paid for meanwhile.
 */
export async function retryUntilRecorded<T>(
  deps: Pick<Dependencies, 'observe' | 'onFault' | 'ending' | 'cutting'>,
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
        const facts = { ...namedBy(verdict), verdict: verdict.verdict };
        deps.observe({
          type: 'note',
          what: 'answer-unrecorded',
          ...key,
          error: messageOf(error),
          facts,
        });
      }
      if (!isDisk || (error instanceof StoreUnwritable && error.isLost)) throw error;
      if (tries === 1) deps.onFault(error);
      if (signal.aborted || deps.ending.aborted) retriesLeft -= 1;
      if (retriesLeft <= 0 || deps.cutting.aborted) throw error;
      await sleep(RETRY_EVERY_MS);
    }
  }
}

/**
 * Writes a small file that arrived with its answer. After a failure, the space reserved for records is released for the
 * next try.
 */
export async function inKeptRoom<T>({ ledger }: Pick<Dependencies, 'ledger'>, write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    if (error instanceof StoreUnwritable && error.isDiskFull) await ledger.makeRoom();
    throw error;
  }
}

/** Id of the job or voice that the API made. */
export function namedBy(verdict: Verdict<unknown>): { readonly jobId?: string } {
  if (verdict.verdict === 'accepted') return { jobId: verdict.jobId };
  return verdict.verdict === 'done' && verdict.voiceId !== undefined ? { jobId: verdict.voiceId } : {};
}
