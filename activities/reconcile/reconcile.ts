import { ApiError } from '../../api/speech-api.ts';
import type { FencedAttempt, AttemptKey } from '../../contract/batch.ts';
import { isUnresolved } from '../../policy/reconcile/in-doubt.ts';
import { PROCESS_ENDED } from '../../policy/reconcile/process-end.ts';
import type { Dependencies } from '../dependencies.ts';
import { recoverAnswer } from './recover-answer.ts';
import {
  isFencedOff,
  loadAttempt,
  type LoadedAttempt,
  nextMoveFor,
  readNextMove,
  attemptName,
  type SubmitReport,
  findCharge,
} from '../attempt.ts';
import { unknownEffect } from '../record-verdict.ts';
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Settles an attempt that its former holder may or may not have sent. Never sends a paid request. What the ledger has
 * for the attempt decides:
 *
 * - No record: creates one in the state `revoked`. A late sender with the same key then cannot create its intent, so it
 *   never sends, and the next attempt may be made.
 * - A verdict, or a record that forbids this attempt (one of a later take, say): nothing is to be settled, and the row
 *   continues from there.
 * - An intent without verdict (in doubt): if the sender lives, waits for its answer. Otherwise tries to recover the
 *   answer (`recover-answer.ts`). If that fails, the row ends `unknown`, or as `--on-unknown` says; if the API's list
 *   could not be read, it is never sent again automatically.
 *
 * An attempt of an earlier take is settled only for its charge; its row stays as it is. Rejects if the signal aborts.
 */
export async function reconcile(deps: Dependencies, key: FencedAttempt, signal: AbortSignal): Promise<SubmitReport> {
  await awaitSender(deps, key, signal);
  // Another lane holds the row by now, and settles the attempt.
  if (isFencedOff(key, (await loadAttempt(deps, key)).row)) return { verdict: 'blocked', next: { type: 'ended' } };
  const charge = await deps.ledger.revoke(key);
  const loaded = await loadAttempt(deps, key);
  const isOther = attemptName(charge) !== attemptName(key);
  if (!isUnresolved(charge) || isOther || loaded.row.outcome !== null) {
    const verdict = charge.state === 'sending' ? 'unknown' : charge.state;
    return { verdict, next: nextMoveFor(key, loaded) };
  }
  const recovered = await tryToRecover(deps, loaded, key, signal);
  if (recovered === undefined || recovered === 'unreadable') {
    return endUnknown(deps, loaded, key, { isListRead: recovered === undefined });
  }
  return { verdict: recovered === 'found' ? 'done' : 'accepted', next: await readNextMove(deps, key) };
}

/** Tries to recover the lost answer. `unreadable`: the API's list cannot be read, so nothing is known. */
async function tryToRecover(
  deps: Dependencies,
  loaded: LoadedAttempt,
  key: FencedAttempt,
  signal: AbortSignal,
): Promise<Awaited<ReturnType<typeof recoverAnswer>> | 'unreadable'> {
  try {
    return await recoverAnswer(deps, loaded, key, signal);
  } catch (error) {
    // An aborted search proves nothing: the row's next holder repeats it.
    signal.throwIfAborted();
    if (!(error instanceof ApiError) || deps.ending.aborted) throw error;
    const facts = { failure: error.failure.class };
    deps.observe({ type: 'note', what: 'list-unread', ...key, facts });
    return 'unreadable';
  }
}

/**
 * Ends the row of a request whose charge stays unknown, as the user has decided (`--on-unknown`). `isListRead`: false
 * if the API's list could not be read; then no new take is made automatically.
 */
async function endUnknown(
  deps: Dependencies,
  loaded: LoadedAttempt,
  key: FencedAttempt,
  { isListRead }: { readonly isListRead: boolean },
): Promise<SubmitReport> {
  const failure = loaded.charge?.failure ?? PROCESS_ENDED;
  const wanted = await unknownEffect(deps, key, loaded.charge?.jobId ?? null, failure);
  const effect = 'retake' in wanted && !isListRead ? wanted.otherwise : wanted;
  // If the sender itself has recorded `unknown`, there is nothing to settle, and the row is still to be ended. An
  // answer that came meanwhile, or a later take, is left as it is.
  const settled = await deps.ledger.settle(key, { verdict: 'unknown', failure }, effect);
  const snapshot = settled.settled ? settled : await deps.ledger.giveUp(key, effect);
  return { verdict: 'unknown', next: nextMoveFor(key, snapshot) };
}

/** How often to check whether the answer has been recorded, ms. */
const CHECK_EVERY_MS = 500;
/**
 * Consecutive checks at which the sender must be silent (no heartbeat) to count as dead. Several, because after an
 * outage of the ledger each process takes up to two seconds to notice that it is back.
 */
const SILENT_CHECKS = 8;
/** Maximum duration of a request, ms. */
const MAX_REQUEST_MS = 15 * 60_000;
/** Further checks after that time, in case the sender had to wait for the store with its answer. */
const LATE_CHECKS = 60;

/**
 * Waits for the answer to an attempt in flight as long as its sender lives to record it: in this process, or in another
 * one that lost its lane but still runs (a network failure, a lane handed over). Does not wait for a dead sender.
 */
async function awaitSender(deps: Dependencies, key: AttemptKey, signal: AbortSignal): Promise<void> {
  await deps.sends.settled(attemptName(key));
  for (let silent = 0, late = 0; silent < SILENT_CHECKS && late < LATE_CHECKS;) {
    const charge = findCharge(key, (await deps.ledger.readRow(key.batch, key.row))?.charges ?? []);
    if (charge?.state !== 'sending' || charge.owner === deps.owner) return;
    const sender = await deps.ledger.workerLiveness(charge.owner);
    if (sender === 'gone') return;
    silent = sender === 'silent' ? silent + 1 : 0;
    const isLate = Math.abs(deps.clock.now().wall - charge.intentAt) > MAX_REQUEST_MS;
    if (isLate && deps.store.outage?.trouble === undefined) late += 1;
    await sleep(CHECK_EVERY_MS, undefined, { signal });
  }
}
