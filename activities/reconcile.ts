import { ApiError } from '../api/speech-api.ts';
import type { AttemptKey, SubmitReport } from '../contract/batch.ts';
import type { Failure } from '../contract/failures.ts';
import { OPERATION_STYLE } from '../contract/row-kinds.ts';
import { stemOf } from '../store/store.ts';
import { isLastStep } from '../workflows/policy/row-machine.ts';
import { nameOf, type Dependencies } from './dependencies.ts';
import { loadAttempt, moveFor, moveOf, type LoadedAttempt } from './load-attempt.ts';
import { canLookUp, lookUpLost } from './look-up-lost.ts';
import { endUnknown } from './record-verdict.ts';

/**
 * Settles an attempt whose report was lost. Never sends a paid request.
 *
 * - No record: it creates `revoked` at that very key. Whoever still comes with this key cannot create its intent, so it
 *   never sends, and the next attempt may be made.
 * - A verdict: that is the answer.
 * - In doubt: if the request is still on the wire in this very process, it waits for its answer. Else it looks where a
 *   trace may be: in the store for a synchronous result, in the API's list for a lip-sync job. Without a trace the row
 *   ends `unknown`.
 */
export async function reconcile(deps: Dependencies, key: AttemptKey, signal: AbortSignal): Promise<SubmitReport> {
  await deps.sends.settled(nameOf(key));
  const standing = await deps.ledger.revoke(key);
  const loaded = await loadAttempt(deps, key);
  const inDoubt = standing.state === 'sending' || standing.state === 'unknown';
  if (!inDoubt || loaded.row.outcome !== null) {
    const verdict = standing.state === 'sending' ? 'unknown' : standing.state;
    return { verdict, next: moveFor(loaded.row, loaded.charges) };
  }
  return (
    (await fromStore(deps, loaded, key)) ?? (await fromList(deps, loaded, key, signal)) ?? giveUp(deps, loaded, key)
  );
}

/** A synchronous result is stored before its verdict is recorded; finding it is as good as the answer. */
async function fromStore(
  deps: Dependencies,
  loaded: LoadedAttempt,
  key: AttemptKey,
): Promise<SubmitReport | undefined> {
  if (OPERATION_STYLE[loaded.operation] !== 'sync') return undefined;
  const isText = loaded.operation === 'transcription';
  const file = await deps.store.find(stemOf(key), isText ? 'txt' : undefined);
  if (file === undefined) return undefined;
  const extras = isText ? [await deps.store.find(stemOf(key), 'srt'), await deps.store.find(stemOf(key), 'vtt')] : [];
  const effect = isLastStep(loaded.row.kind, key.step)
    ? ({
        outcome: 'succeeded',
        file,
        extraFiles: extras.filter((one) => one !== undefined),
        ...(isText ? { text: await readText(deps, file.key) } : {}),
      } as const)
    : ({ state: 'waiting' } as const);
  await deps.ledger.settle(key, { verdict: 'done', file }, effect);
  return { verdict: 'done', next: await moveOf(deps, key.batch, key.row) };
}

async function readText(deps: Dependencies, file: string): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of await deps.store.read(file)) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8').replace(/\n$/, '');
}

async function fromList(
  deps: Dependencies,
  loaded: LoadedAttempt,
  key: AttemptKey,
  signal: AbortSignal,
): Promise<SubmitReport | undefined> {
  if (!canLookUp(loaded.operation)) return undefined;
  try {
    const jobId = await lookUpLost(deps, loaded, key, signal);
    if (jobId === undefined) return undefined;
    const verdict = { verdict: 'accepted', jobId, isAdopted: true } as const;
    if (!(await deps.ledger.settle(key, verdict, { state: 'processing' }))) return undefined;
    deps.log.info({ ...key, jobId }, 'the lost job was found in the list');
    return { verdict: 'accepted', next: await moveOf(deps, key.batch, key.row) };
  } catch (error) {
    // A look-up that was called off found nothing out; it is done again.
    signal.throwIfAborted();
    if (!(error instanceof ApiError)) throw error;
    deps.log.warn({ ...key, failure: error.failure.class }, 'the list could not be read; the row is left unknown');
    return undefined;
  }
}

/** Nothing can be proven either way: the row is held until the user decides. */
async function giveUp(deps: Dependencies, loaded: LoadedAttempt, key: AttemptKey): Promise<SubmitReport> {
  const failure: Failure = loaded.charge?.failure ?? {
    class: 'OutcomeUnknown',
    message:
      'The process ended between recording the request and recording its answer; the API may have charged for it.',
  };
  const isSettled = await deps.ledger.settle(key, { verdict: 'unknown', failure }, endUnknown(failure));
  // The sender itself may have said `unknown` and left the row open for this look. An answer that came meanwhile stands.
  if (!isSettled && (await loadAttempt(deps, key)).charge?.state === 'unknown') {
    await deps.ledger.endRow(key.batch, key.row, { outcome: 'unknown', failure });
  }
  return { verdict: 'unknown', next: await moveOf(deps, key.batch, key.row) };
}
