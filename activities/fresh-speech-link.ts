import { setTimeout as sleep } from 'node:timers/promises';
import { ApiError } from '../api/speech-api.ts';
import type { AttemptKey } from '../contract/batch.ts';
import type { Failure } from '../contract/failures.ts';
import { pausesBatch } from '../workflows/policy/retry.ts';
import { lastAttempt } from '../workflows/policy/row-machine.ts';
import { nameOf, type Dependencies } from './dependencies.ts';
import type { LoadedAttempt } from './load-attempt.ts';
import { readInTurn } from './slots.ts';

/** The link that a request needs from an earlier step. */
export type Link =
  | { readonly state: 'ready'; readonly audioUrl?: string }
  /** A free read did not work; ask again later. */
  | { readonly state: 'later'; readonly audioUrl?: never }
  /** It can never be had; the row was ended. */
  | { readonly state: 'ended'; readonly audioUrl?: never };

const LATER_MS = 1_000;
/** Reads of a finished speech that may come without a link before the row fails. */
const MOST_READS = 6;

/**
 * Reads the speech job of a `dub` anew, right before its lip-sync is paid for: links are short-lived, and a dead one would
 * be paid for in vain. Steps without such a need are ready as they are.
 */
export async function freshSpeechLink(
  deps: Dependencies,
  loaded: LoadedAttempt,
  key: AttemptKey,
  signal: AbortSignal,
): Promise<Link> {
  if (loaded.row.kind !== 'dub' || key.step !== 'lip-sync') return { state: 'ready' };
  const speech = lastAttempt(loaded.charges, 'speech');
  if (speech?.jobId == null) return endWith(deps, key, 'The speech of this row has no job to read a link from.');
  try {
    const { jobId } = speech;
    const reading = await readInTurn(deps, key.batch, signal, () => deps.api.readJob('speech-job', jobId, signal));
    const name = nameOf(key);
    const reads = reading.resultUrl === undefined ? deps.looks.troubled(name, deps.clock.now().wall) : 0;
    if (reads === 0 || reads >= MOST_READS) deps.looks.forget(name);
    if (reading.resultUrl !== undefined) return { state: 'ready', audioUrl: reading.resultUrl };
    if (reads < MOST_READS) return await later(signal);
    return await endWith(deps, key, `The speech job ${jobId} no longer gives a link to its result.`);
  } catch (error) {
    if (signal.aborted) return { state: 'later' };
    if (!(error instanceof ApiError)) throw error;
    const { failure } = error;
    if (pausesBatch(failure.class)) await deps.ledger.setControl(key.batch, 'paused', failure);
    else if (failure.class === 'Rejected') return endWith(deps, key, failure.message, failure);
    deps.log.warn({ batch: key.batch, row: key.row, failure: failure.class }, 'speech link not read; later again');
    return later(signal);
  }
}

async function later(signal: AbortSignal): Promise<Link> {
  await sleep(LATER_MS, undefined, { signal }).catch(() => undefined);
  return { state: 'later' };
}

async function endWith(deps: Dependencies, key: AttemptKey, message: string, from?: Failure): Promise<Link> {
  const failure: Failure = { ...from, class: 'ResultGone', message: `${message} The lip-sync was not paid for.` };
  await deps.ledger.endRow(key.batch, key.row, { outcome: 'failed', failure });
  return { state: 'ended' };
}
