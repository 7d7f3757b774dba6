import { messageOf } from '../contract/message-of.ts';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Verdict } from '../api/speech-api.ts';
import type { AttemptKey } from '../contract/batch.ts';
import { LedgerUnreachable } from '../ledger/errors.ts';
import { StoreUnwritable } from '../store/errors.ts';
import type { Dependencies } from './dependencies.ts';

/** Pause before a failed write is retried, ms. */
const RETRY_EVERY_MS = 500;
/** How long a write is retried while the process shuts down, ms. */
const LAST_RETRIES_MS = 10_000;

/**
 * Writes the answer to a paid request, and retries as long as the disk refuses it: the answer comes only once, and
 * losing it could mean a charge for nothing. At the first failure, it logs what was paid for, so that the user can find
 * the job if all else fails, and reports the fault, so that nothing more is sent. Gives up and rethrows only if the
 * process must end (then counting the lost answer), or if the error is not the disk's. `verdict`: the answer, for the
 * log.
 */
export async function retryUntilRecorded<T>(
  deps: Pick<Dependencies, 'observe' | 'onFault' | 'ending' | 'cutting' | 'lostAnswers'>,
  key: AttemptKey,
  verdict: Verdict<unknown>,
  write: () => Promise<T>,
): Promise<T> {
  let giveUpAt = Infinity;
  for (let tries = 1; ; tries++) {
    try {
      return await write();
    } catch (error) {
      const isDisk = error instanceof LedgerUnreachable || error instanceof StoreUnwritable;
      if (tries === 1) {
        const facts = { ...createdId(verdict), verdict: verdict.verdict };
        deps.observe({
          type: 'note',
          what: 'answer-unrecorded',
          ...key,
          error: messageOf(error),
          facts,
        });
      }
      if (!isDisk) throw error;
      const isLost = error instanceof StoreUnwritable && error.isLost;
      if (tries === 1 && !isLost) deps.onFault(error);
      if (deps.ending.aborted) giveUpAt = Math.min(giveUpAt, performance.now() + LAST_RETRIES_MS);
      if (isLost || performance.now() >= giveUpAt || deps.cutting.aborted) {
        if (losesPaid(verdict, error)) deps.lostAnswers.count += 1;
        throw error;
      }
      await sleep(RETRY_EVERY_MS);
    }
  }
}

/** Returns whether giving up loses something paid for. A result in the store is not lost: it is found there later. */
function losesPaid(verdict: Verdict<unknown>, error: Error): boolean {
  if (verdict.verdict !== 'done') return verdict.verdict === 'accepted';
  return error instanceof StoreUnwritable || verdict.voiceId !== undefined;
}

/**
 * Writes a small result. If the disk is full, releases the disk space that is reserved for records, so that the next
 * try can use it, and rethrows.
 */
export async function writeInReservedSpace<T>(
  { ledger }: Pick<Dependencies, 'ledger'>,
  write: () => Promise<T>,
): Promise<T> {
  try {
    return await write();
  } catch (error) {
    if (error instanceof StoreUnwritable && error.isDiskFull) await ledger.makeRoom();
    throw error;
  }
}

/** Returns the id of the job or voice that the API created; no member if it created none. */
export function createdId(verdict: Verdict<unknown>): { readonly jobId?: string } {
  if (verdict.verdict === 'accepted') return { jobId: verdict.jobId };
  return verdict.verdict === 'done' && verdict.voiceId !== undefined ? { jobId: verdict.voiceId } : {};
}
