import { messageOf } from '../contract/message-of.ts';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Verdict } from '../api/speech-api.ts';
import type { AttemptKey } from '../contract/batch.ts';
import { LedgerUnreachable } from '../ledger/errors.ts';
import { StoreUnwritable } from '../store/errors.ts';
import type { Dependencies } from './dependencies.ts';

/** Retry interval of a failed write, ms. */
const RETRY_EVERY_MS = 500;
/** How long retries continue while the process shuts down, ms. */
const LAST_RETRIES_MS = 10_000;

/**
 * Writes what the answer to a paid request said, and retries while the disk refuses it: the answer comes once, and a
 * row whose answer is lost may have been charged for nothing. It first logs what was paid for, so that a person can
 * name the job if all else fails. It reports the fault at once: nothing more is paid for meanwhile. Only a process that
 * is told to end gives up, and counts what is lost.
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
        if (wasPaid(verdict, error)) deps.lostAnswers.count += 1;
        throw error;
      }
      await sleep(RETRY_EVERY_MS);
    }
  }
}

/** Whether an answer that is not recorded is lost: a result that is in the store is found there later. */
function wasPaid(verdict: Verdict<unknown>, error: Error): boolean {
  if (verdict.verdict !== 'done') return verdict.verdict === 'accepted';
  return error instanceof StoreUnwritable || verdict.voiceId !== undefined;
}

/**
 * Writes a small file that arrived with its answer. After a failure, the space reserved for records is released for the
 * next try.
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

/** Id of the job or voice that the API made. */
export function createdId(verdict: Verdict<unknown>): { readonly jobId?: string } {
  if (verdict.verdict === 'accepted') return { jobId: verdict.jobId };
  return verdict.verdict === 'done' && verdict.voiceId !== undefined ? { jobId: verdict.voiceId } : {};
}
