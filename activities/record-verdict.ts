import type { Verdict } from '../api/speech-api.ts';
import type { AttemptKey, FencedAttempt } from '../contract/batch.ts';
import { defined } from '../contract/defined.ts';
import type { Failure } from '../contract/failures.ts';
import { isTraceable } from '../contract/row-kinds.ts';
import type { SettleVerdict } from '../ledger/requests/settle.ts';
import type { Retake, RowEffect, RowEnding } from '../ledger/rows/row-effects.ts';
import { stemOf } from '../store/layout.ts';
import type { StoredFile } from '../store/store.ts';
import { afterResult } from '../policy/rows/after-result.ts';
import { withCostNote } from '../policy/rows/group-reasons.ts';
import { afterUnknown } from '../policy/rows/new-take.ts';
import { interpretVagueRefusal, countRefusals, mayTryAgain, pausesBatch } from '../policy/rows/max-attempts.ts';
import { reportFromLedger, type LoadedAttempt, type SubmitReport } from './attempt.ts';
import { loadBatch } from './cache/batch-cache.ts';
import type { Dependencies } from './dependencies.ts';
import { learnTextLimit } from './parts/learn-text-limit.ts';
import { failureFacts } from './visibility/event-facts.ts';
import { judgeCheck } from './verification/judge-check.ts';
import { writeInReservedSpace, createdId, retryUntilRecorded } from './retry-until-recorded.ts';
import { notePrice, storeText, storeTranscript } from './store-result.ts';
import { MAX_TRAINING_MS, maySayUnready } from '../policy/voices/unready-voice.ts';

/** How long a verdict that is not urgent may wait to share a commit with others, ms. */
const PATIENCE_MS = 8;

/**
 * Records the verdict on a paid request and its effect on the row in the ledger, in one transaction, after storing what
 * the answer brought. Retries until the disk accepts it. Returns the row's next move.
 *
 * If the answer pauses the batch (no credits, a refused token), the pause is recorded first, so that nothing more is
 * sent. If that fails, it is recorded after the verdict.
 */
export async function recordVerdict(
  deps: Dependencies,
  loaded: LoadedAttempt,
  key: FencedAttempt,
  answer: Verdict<StoredFile>,
): Promise<SubmitReport> {
  const verdict =
    answer.verdict === 'not-accepted'
      ? { ...answer, failure: interpretVagueRefusal(loaded.charges, key, answer.failure) }
      : answer;
  const failure = 'failure' in verdict ? verdict.failure : undefined;
  deps.observe({
    type: 'verdict',
    ...key,
    verdict: verdict.verdict,
    ...createdId(verdict),
    ...(failure === undefined ? {} : failureFacts(failure)),
  });
  const pause = async (): Promise<true> => {
    if (failure !== undefined && pausesBatch(failure.class)) await deps.ledger.setControl(key.batch, 'paused', failure);
    return true;
  };
  const isPaused = await pause().catch(() => false);
  const report = await retryUntilRecorded(deps, key, verdict, async () => {
    const [record, effect] = await writeInReservedSpace(deps, () => storeAndJudge(deps, loaded, key, verdict));
    // The record may wait as long as other requests wait for the rate: until then none of them needs this request's
    // slot.
    const patienceMs = Math.min(PATIENCE_MS, deps.pace.backlogMs('create', key.batch));
    const begunAt = deps.clock.now().monotonic;
    const snapshot = await deps.ledger.settle(key, { ...record, owner: deps.owner, patienceMs }, effect);
    const ms = deps.clock.now().monotonic - begunAt;
    deps.observe({ type: 'commit', ...key, of: 'verdict', ms });
    return reportFromLedger(key, snapshot);
  });
  if (!isPaused) await retryUntilRecorded(deps, key, verdict, pause);
  return report;
}

/** Stores what the answer brought, and returns what it means for the attempt and its row. */
async function storeAndJudge(
  deps: Dependencies,
  loaded: LoadedAttempt,
  key: AttemptKey,
  verdict: Verdict<StoredFile>,
): Promise<readonly [SettleVerdict, RowEffect]> {
  switch (verdict.verdict) {
    case 'accepted':
      return [verdict, { state: 'processing' }];
    case 'done':
      return storeResult(deps, loaded, key, verdict);
    case 'not-accepted':
      return [verdict, afterRefusal(loaded, key, verdict.failure)];
    case 'rejected': {
      const refusedVoice = await unreadyVoice(deps, loaded, key, verdict.failure);
      if (refusedVoice !== undefined) {
        return [
          { ...verdict, verdict: 'not-accepted' },
          { refusedVoice, refusal: verdict.failure },
        ];
      }
      return [
        verdict,
        {
          outcome: 'failed',
          failure: withCostNote(await learnTextLimit(deps, loaded, verdict.failure), 'nothing was charged'),
        },
      ];
    }
    case 'unknown':
      // If the API lists such requests, reconcile searches the list before the row ends.
      if (isTraceable(loaded.operation)) return [verdict, { state: 'submitting' }];
      return [verdict, await unknownEffect(deps, key, null, verdict.failure)];
  }
}

/** Stores the result in the answer: a voice id, a transcript, or media that are stored already. */
async function storeResult(
  deps: Dependencies,
  loaded: LoadedAttempt,
  key: AttemptKey,
  verdict: Extract<Verdict<StoredFile>, { readonly verdict: 'done' }>,
): Promise<readonly [SettleVerdict, RowEffect]> {
  const { media, transcript, voiceId, credits, requestId } = verdict;
  if (voiceId !== undefined) {
    const record = { verdict: 'done', jobId: voiceId, ...defined({ credits, requestId }) } as const;
    return [record, { outcome: 'succeeded', text: voiceId }];
  }
  if (transcript !== undefined) {
    await notePrice(deps, key, verdict);
    const batch = await loadBatch(deps, key.batch);
    const check = judgeCheck(loaded, batch, key, transcript);
    if (check !== undefined) {
      const { effect, ...found } = check;
      const file = await storeText(deps.store, stemOf(loaded.batch.layout, key), transcript.text);
      return [{ verdict: 'done', file, ...found, ...defined({ credits, requestId }) }, effect];
    }
    const { file, extraFiles } = await storeTranscript(deps.store, stemOf(loaded.batch.layout, key), transcript);
    const record = { verdict: 'done', file, ...defined({ credits, requestId }) } as const;
    return [record, { outcome: 'succeeded', file, extraFiles, text: transcript.text }];
  }
  const record = { verdict: 'done', ...defined({ file: media, credits, requestId }) } as const;
  if (media === undefined) return [record, { outcome: 'succeeded' }];
  const { settings, control } = await loadBatch(deps, key.batch);
  const allowed = { retakes: settings.retakes, control };
  const { effect, ...why } = afterResult(loaded.row.spec, key.step, media, allowed);
  return [{ ...record, ...why }, effect];
}

/** Returns the effect of a refusal that cost nothing: the row tries again, until there are too many of this class. */
function afterRefusal(loaded: LoadedAttempt, key: AttemptKey, failure: Failure): RowEffect {
  const refusals = countRefusals(loaded.charges, key, failure.class) + 1;
  if (mayTryAgain(failure.class, refusals)) return { state: 'waiting' };
  const message = `${failure.message.replace(/\.?$/, '.')} Gave up after ${String(refusals)} such answers; nothing was charged for them.`;
  return { outcome: 'failed', failure: { ...failure, message } };
}

/**
 * Returns the effect on a row whose request may or may not have been charged, by the user's choice (`--on-unknown`).
 * `jobId`: its job, if one is known.
 */
export async function unknownEffect(
  deps: Dependencies,
  key: AttemptKey,
  jobId: string | null,
  failure: Failure,
): Promise<RowEnding | Retake> {
  const { control, settings } = await loadBatch(deps, key.batch);
  const noted = withCostNote(failure, 'it may have been charged');
  return afterUnknown(settings.onUnknown, control, key.step, { jobId }, { ...noted, class: 'OutcomeUnknown' });
}

/**
 * Returns the voice of a refused row if the refusal may mean that the voice is still in training: its wording says so,
 * and the voice is new or the row was sent to try it. Undefined otherwise.
 */
async function unreadyVoice(
  { ledger, realm, clock }: Pick<Dependencies, 'ledger' | 'realm' | 'clock'>,
  { row }: Pick<LoadedAttempt, 'row'>,
  { batch, step }: AttemptKey,
  failure: Failure,
): Promise<string | undefined> {
  const { awaitedVoice, voiceRow, spec } = row;
  const { voice } = spec;
  if (step !== 'speech' || voice === undefined || !maySayUnready(failure)) return undefined;
  if (awaitedVoice === voice) return voice;
  const since = clock.now().wall - MAX_TRAINING_MS;
  return (await ledger.isNewVoice(realm, { batch, voice, voiceRow }, since)) ? voice : undefined;
}
