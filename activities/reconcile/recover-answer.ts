import type { AttemptKey } from '../../contract/batch.ts';
import { factsOf, isListed, makesJob } from '../../contract/row-kinds.ts';
import { RESULT_FACTS } from '../../contract/operations.ts';
import { stemOf } from '../../store/layout.ts';
import type { Expectation, StoredFile } from '../../store/store.ts';
import { isTakenWithoutJob } from '../../policy/reconcile/stored-result.ts';
import { afterResult } from '../../policy/rows/after-result.ts';
import { loadBatch } from '../cache/batch-cache.ts';
import type { Dependencies } from '../dependencies.ts';
import type { LoadedAttempt } from '../attempt.ts';
import { judgeCheck, readTranscriptFile } from '../verification/judge-check.ts';
import { adoptLostJob } from './adopt-lost-job.ts';
import { adoptLostVoice } from '../voices/adopt-lost-voice.ts';

/**
 * Recovers the answer to a paid request that was lost: looks for what the request produced, and settles the attempt by
 * that. Never sends a paid request.
 *
 * - `found`: the result itself exists, which is as good as the answer. A synchronous result is in the store, because it
 *   is stored before its verdict is recorded; so is the result of a job whose record was lost with the ledger
 *   (`storedAs`), unless a later step needs the job. A voice is in the API's list, alone with a name that was free
 *   before the request.
 * - `adopted`: the API's list has the one job that the request can have created; the row waits for it.
 * - undefined: neither was found, and nothing was changed.
 *
 * Throws ApiError if the API's list cannot be read.
 */
export async function recoverAnswer(
  deps: Dependencies,
  loaded: LoadedAttempt,
  key: AttemptKey,
  signal: AbortSignal,
): Promise<'found' | 'adopted' | undefined> {
  const { operation } = loaded;
  const { result } = factsOf(operation);
  if (result === 'voice') return findVoice(deps, loaded, key, signal);
  const { family } = RESULT_FACTS[result];
  const named = loaded.charge?.failure?.storedAs?.replace(/\.[a-z0-9]+$/, '');
  if (!makesJob(operation)) return findInStore(deps, loaded, key, family, named ?? stemOf(loaded.batch.layout, key));
  const { row, charges, batch } = loaded;
  const stored = isTakenWithoutJob(row.spec, key, batch.settings.tts, charges) ? named : undefined;
  const findFile = async (): Promise<'found' | undefined> =>
    stored === undefined ? undefined : findInStore(deps, loaded, key, family, stored);
  if (!isListed(operation)) return findFile();
  const adopted = await adoptLostJob(deps, { ...loaded, operation }, key, signal, (jobId) =>
    settleAsAdopted(deps, key, jobId),
  );
  if (adopted === undefined) return findFile();
  deps.observe({ type: 'note', what: 'job-found', ...key, facts: { jobId: adopted } });
  return 'adopted';
}

/**
 * Settles an attempt in doubt as accepted, with a job found elsewhere than in its answer. Returns false if another
 * attempt has that job, or this one has a verdict.
 */
export async function settleAsAdopted(
  deps: Pick<Dependencies, 'ledger'>,
  key: AttemptKey,
  jobId: string,
): Promise<boolean> {
  const record = { verdict: 'accepted', jobId, isAdopted: true } as const;
  return (await deps.ledger.settle(key, record, { state: 'processing' })).settled;
}

/** Finds the voice that a request created, and settles the attempt with it. */
async function findVoice(
  deps: Dependencies,
  loaded: LoadedAttempt,
  key: AttemptKey,
  signal: AbortSignal,
): Promise<'found' | undefined> {
  const voiceId = await adoptLostVoice(deps, loaded, signal, async (id) => {
    const record = { verdict: 'done', jobId: id, isAdopted: true } as const;
    return (await deps.ledger.settle(key, record, { outcome: 'succeeded', text: id })).settled;
  });
  if (voiceId === undefined) return undefined;
  deps.observe({ type: 'note', what: 'voice-found', ...key, facts: { voiceId } });
  return 'found';
}

/** Finds a result in the store by its path without extension, and settles the attempt with it. */
async function findInStore(
  deps: Dependencies,
  loaded: LoadedAttempt,
  key: AttemptKey,
  family: Expectation['family'],
  stem: string,
): Promise<'found' | undefined> {
  const isText = family === 'text';
  const find = (extension: string): Promise<StoredFile | undefined> => deps.store.find(stem, { family, extension });
  const file = isText ? await find('txt') : await deps.store.find(stem, { family });
  if (file === undefined) return undefined;
  const extras = isText ? [await find('srt'), await find('vtt')] : [];
  const batch = await loadBatch(deps, key.batch);
  const text = isText ? await readTranscriptFile(deps, file.key) : undefined;
  const check = text === undefined ? undefined : judgeCheck(loaded, batch, key, { text });
  const allowed = { retakes: batch.settings.retakes, control: batch.control };
  const { effect, ...why } = check ?? afterResult(loaded.row.spec, key.step, file, allowed);
  const transcript =
    text === undefined || check !== undefined ? {} : { extraFiles: extras.filter((one) => one !== undefined), text };
  await deps.ledger.settle(key, { verdict: 'done', file, ...why }, { ...effect, ...transcript });
  return 'found';
}
