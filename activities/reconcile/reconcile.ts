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
 * Settles an attempt whose report was lost. Never sends a paid request.
 *
 * - No record: it creates `revoked` at that very key. A latecomer with this key cannot create its intent, so it never
 *   sends, and the next attempt may be made.
 * - A verdict, or a record that forbids one with this key (of a later take, say): the row continues from the ledger's
 *   state.
 * - In doubt: if the sender lives, it waits for the answer. Otherwise it looks for a trace: in the store for a
 *   synchronous result, in the API's list for a lip-sync job. Without a trace the row ends `unknown`, or as
 *   `--on-unknown` says; if the list cannot be read, it is not sent again automatically. An attempt of an earlier take
 *   is settled only for its money; its row stays.
 */
export async function reconcile(deps: Dependencies, key: FencedAttempt, signal: AbortSignal): Promise<SubmitReport> {
  await awaitSender(deps, key, signal);
  // The row's current holder settles what this lane left behind.
  if (isFencedOff(key, (await loadAttempt(deps, key)).row)) return { verdict: 'blocked', next: { type: 'ended' } };
  const snapshot = await deps.ledger.revoke(key);
  const loaded = await loadAttempt(deps, key);
  const isOther = attemptName(snapshot) !== attemptName(key);
  if (!isUnresolved(snapshot) || isOther || loaded.row.outcome !== null) {
    const verdict = snapshot.state === 'sending' ? 'unknown' : snapshot.state;
    return { verdict, next: nextMoveFor(key, loaded) };
  }
  const trace = await lookForTrace(deps, loaded, key, signal);
  if (trace === undefined || trace === 'unreadable') return giveUp(deps, loaded, key, trace === undefined);
  return { verdict: trace === 'found' ? 'done' : 'accepted', next: await readNextMove(deps, key) };
}

async function lookForTrace(
  deps: Dependencies,
  loaded: LoadedAttempt,
  key: FencedAttempt,
  signal: AbortSignal,
): Promise<Awaited<ReturnType<typeof recoverAnswer>> | 'unreadable'> {
  try {
    return await recoverAnswer(deps, loaded, key, signal);
  } catch (error) {
    // An aborted look-up proves nothing; it will be repeated.
    signal.throwIfAborted();
    if (!(error instanceof ApiError) || deps.ending.aborted) throw error;
    const facts = { failure: error.failure.class };
    deps.observe({ type: 'note', what: 'list-unread', ...key, facts });
    return 'unreadable';
  }
}

/** Nothing can be proven either way: the user decides, or has decided. */
async function giveUp(
  deps: Dependencies,
  loaded: LoadedAttempt,
  key: FencedAttempt,
  isLost: boolean,
): Promise<SubmitReport> {
  const failure = loaded.charge?.failure ?? PROCESS_ENDED;
  const wanted = await unknownEffect(deps, key, loaded.charge?.jobId ?? null, failure);
  const effect = 'retake' in wanted && !isLost ? wanted.otherwise : wanted;
  // The sender itself may have recorded `unknown` and left the row open for this look-up. An answer that came meanwhile
  // stands, and so does a later take.
  const settled = await deps.ledger.settle(key, { verdict: 'unknown', failure }, effect);
  const snapshot = settled.settled ? settled : await deps.ledger.giveUp(key, effect);
  return { verdict: 'unknown', next: nextMoveFor(key, snapshot) };
}

/** How often to check whether the answer is on record, ms. */
const CHECK_EVERY_MS = 500;
/**
 * Checks in a row at which the sender has to be silent until it counts as dead. If the ledger was away, the sender has
 * waited for it like us, and each of them takes up to two seconds to notice that it is back.
 */
const SILENT_CHECKS = 8;
/** Longest time a request can take, ms. */
const LONGEST_REQUEST_MS = 15 * 60_000;
/** Checks after that time, in case the sender had to wait for the store with its answer. */
const LATE_CHECKS = 60;

/**
 * Waits for the answer to an attempt in flight, as long as its sender lives to record it: in this process, or in
 * another that lost its lane but still runs (a cut network, a lane handed over). It does not wait for a dead sender.
 */
async function awaitSender(deps: Dependencies, key: AttemptKey, signal: AbortSignal): Promise<void> {
  await deps.sends.settled(attemptName(key));
  for (let silent = 0, late = 0; silent < SILENT_CHECKS && late < LATE_CHECKS;) {
    const charge = findCharge(key, (await deps.ledger.readRow(key.batch, key.row))?.charges ?? []);
    if (charge?.state !== 'sending' || charge.owner === deps.owner) return;
    const sender = await deps.ledger.workerLiveness(charge.owner);
    if (sender === 'gone') return;
    silent = sender === 'silent' ? silent + 1 : 0;
    const isLate = Math.abs(deps.clock.now().wall - charge.intentAt) > LONGEST_REQUEST_MS;
    if (isLate && deps.store.outage?.trouble === undefined) late += 1;
    await sleep(CHECK_EVERY_MS, undefined, { signal });
  }
}
