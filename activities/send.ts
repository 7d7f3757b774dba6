import type { PaidRequest, Verdict } from '../api/speech-api.ts';
import type { BatchSettings, FencedAttempt } from '../contract/batch.ts';
import { defined } from '../contract/defined.ts';
import type { Failure } from '../contract/failures.ts';
import { idempotencyKeyOf } from '../contract/names.ts';
import type { RowSpec } from '../contract/row-kinds.ts';
import type { Intent } from '../ledger/requests/intent-records.ts';
import type { ChargeRecord } from '../ledger/requests/charge-records.ts';
import type { ResultFile } from '../ledger/records.ts';
import { checkedResult } from '../policy/verification/after-check.ts';
import { mayBeTaken } from '../policy/voices/unready-voice.ts';
import { quoteFrom } from '../policy/money/pricing.ts';
import { PROCESS_ENDED } from '../policy/reconcile/process-end.ts';
import { MIN_LEAD_MS } from '../policy/pacing/lead.ts';
import { maySend, type Instant } from '../policy/pacing/send-deadline.ts';
import { openLocalFile } from '../store/local-file.ts';
import type { StoredFile } from '../store/store.ts';
import type { LinkedMedia, SentMedia } from './local-media/sent-media.ts';
import { attemptName, makeReport, reportFromLedger, type LoadedAttempt, type SubmitReport } from './attempt.ts';
import { loadBatch } from './cache/batch-cache.ts';
import type { Dependencies } from './dependencies.ts';
import type { ReadyLink } from './polling/fresh-link.ts';
import { hashOf } from './reconcile/adopt-lost-job.ts';
import { waitUntilDue, giveBack, type Turn } from './pacing/pace.ts';
import { receivePaid } from './receive-paid.ts';
import { recordVerdict } from './record-verdict.ts';
import { apiForRow } from './row-api.ts';
import { reportHealth } from './pacing/report-health.ts';

/** Usual time of a synced commit, including the round trip to the ledger thread, ms. */
const COMMIT_MS = 5;

/** What an intent records for the cache: the result's key, and whether an earlier result may replace the request. */
export type ResultTerms = Pick<Intent, 'resultKey' | 'reuse' | 'source'>;

/** An attempt whose turn has come, with everything that its request needs. */
export interface Sending {
  readonly loaded: LoadedAttempt;
  readonly key: FencedAttempt;
  /** The link to an earlier step's result, if the step needs one. */
  readonly link: ReadyLink;
  /** The links to its local media. */
  readonly media: SentMedia;
  readonly turn: Turn;
  readonly signal: AbortSignal;
  readonly terms: ResultTerms;
  /** Whether the requested voice name is free; undefined if unknown, or if the request makes no voice. */
  readonly nameWasFree: boolean | undefined;
}

/**
 * Records the intent, exclusively and synced to disk, sends the request at its time, and records the verdict. Returns
 * `full` if the in-flight limit of all processes has no room now; then nothing was recorded.
 */
export function send(deps: Dependencies, sending: Sending): Promise<SubmitReport | 'full'> {
  // Tracked from before the intent, so that an ending process waits for it and leaves no intent unsent.
  return deps.sends.track(attemptName(sending.key), intendAndSend(deps, sending));
}

async function intendAndSend(deps: Dependencies, sending: Sending): Promise<SubmitReport | 'full'> {
  const { key, turn } = sending;
  // Read for each attempt, because the user may have changed the settings meanwhile.
  const { settings } = await loadBatch(deps, key.batch);
  // Read before the intent, so that a stall of the process from here on is noticed before sending.
  const askedAt = deps.clock.now();
  const intent = await deps.ledger.intend(key, intentOf(deps, sending, settings, askedAt));
  const ms = deps.clock.now().monotonic - askedAt.monotonic;
  deps.observe({ type: 'intent', ...key, answer: intent.type, ms });
  // Let the next row check for budget room.
  if (intent.type !== 'short') deps.budgetQueue.letNextCheck(key.batch);
  turn.line.noteRecorded(ms);
  if (intent.type === 'go') return sendRecorded(deps, sending, askedAt);
  giveBack(turn);
  switch (intent.type) {
    case 'full':
      turn.line.noteFull();
      return 'full';
    case 'blocked':
      return makeReport('blocked', key, intent);
    case 'cached':
    case 'awaited':
    case 'short':
      return { ...makeReport('blocked', key, intent), deferral: intent.type };
    case 'over-budget':
      return makeReport('skipped', key, intent);
    case 'exists':
      return reportFromLedger(key, intent);
  }
}

/**
 * Returns the intent to record before the request is sent: its quote and that of the row's later steps, and its terms.
 */
function intentOf(
  { owner }: Dependencies,
  { loaded, key, link: { link }, turn, terms, nameWasFree }: Sending,
  settings: BatchSettings,
  askedAt: Instant,
): Intent {
  const { row, charges } = loaded;
  const heardSeconds = checkedResult<ResultFile, ChargeRecord>(
    { ...row.spec, acceptedTake: row.acceptedTake },
    key.step,
    charges,
  )?.file.seconds;
  return {
    ...quoteFrom(loaded.row.kind, key.step, loaded.row.spec, { ...settings, heardSeconds }),
    ...terms,
    owner,
    maxSending: settings.limits.submits,
    // The intent may wait to share a commit, as long as it is on disk when the request is due.
    patienceMs: Math.max(0, Math.min(MIN_LEAD_MS, turn.slot.at - askedAt.monotonic) - COMMIT_MS),
    ...defined({ fence: key.fence, nameWasFree }),
    ...(link === undefined ? {} : { linkHash: hashOf(link.url) }),
  };
}

/** Sends a request whose intent is recorded, and records the verdict. `intentAt`: clocks right before the intent. */
async function sendRecorded(deps: Dependencies, sending: Sending, intentAt: Instant): Promise<SubmitReport> {
  const { loaded, key, turn } = sending;
  await deps.atFaultPoint('after-intent');
  const check = await checkBeforeSending(deps, sending, intentAt);
  const isSent = 'links' in check;
  if (!isSent) giveBack(turn);
  const verdict = isSent ? await request(deps, sending, check.links) : check;
  const failure = 'failure' in verdict ? verdict.failure : null;
  // Reported at once, because other requests are about to be sent; it usually shares the commit of the verdict. A
  // request that was not sent says nothing about the API.
  const reporting = isSent ? reportHealth(deps, turn, failure) : Promise.resolve();
  reporting.catch(() => undefined);
  await deps.atFaultPoint('after-answer');
  const report = await recordVerdict(deps, loaded, key, verdict);
  await deps.atFaultPoint('after-verdict');
  await reporting;
  if (failure?.limit === 'concurrency') await deps.concurrencyLimit.refused(deps);
  return report;
}

/**
 * Waits until the request is due, and checks a last time, with the signals and both clocks, whether it may be sent.
 * Returns the links to its local media, or the verdict on a request that may not be sent.
 */
async function checkBeforeSending(
  deps: Dependencies,
  { turn, media, signal }: Sending,
  intentAt: Instant,
): Promise<LinkedMedia | Verdict<StoredFile>> {
  if (!(await waitUntilDue(deps, turn)))
    return notSent('The API asked for a pause between the record and the request, so the request was not sent.');
  if (signal.aborted) return notSent('The work was taken away right before sending.');
  if (deps.faulty.aborted) return notSent('This machine could not keep the answer, so the request was not sent.');
  if (!maySend(intentAt, deps.clock.now())) {
    return notSent('The process stood still between the record and the request, so the request was not sent.');
  }
  return media.type === 'failed' ? { verdict: media.verdict, failure: media.failure } : media;
}

/** Sends the request, and returns the verdict. */
async function request(
  deps: Dependencies,
  { loaded, key, link }: Sending,
  links: LinkedMedia['links'],
): Promise<Verdict<StoredFile>> {
  const paid: PaidRequest = {
    operation: loaded.operation,
    spec: withLink({ ...loaded.row.spec, ...links }, link),
    idempotencyKey: idempotencyKeyOf(deps.ledger.id, key),
    isRepeat: mayBeTaken(loaded.charges, key),
    trust503: loaded.batch.settings.trust503,
  };
  // Not the activity's signal: a request in flight runs until its answer, for as long as the process can wait.
  const sentAt = deps.clock.now().monotonic;
  const answer = await apiForRow(deps, loaded.row).send(paid, {
    receive: receivePaid(deps, loaded, key),
    openFile: openLocalFile,
    signal: deps.cutting,
  });
  const verdict = deps.cutting.aborted ? cutOff(answer) : answer;
  const { requestId } = 'failure' in verdict ? verdict.failure : verdict;
  const facts = { operation: paid.operation, ms: deps.clock.now().monotonic - sentAt, ...defined({ requestId }) };
  deps.observe({ type: 'answer', ...key, verdict: verdict.verdict, ...facts });
  return verdict;
}

/** Adds to the verdict on a request that was aborted because this process ends that this was the cause. */
function cutOff(verdict: Verdict<StoredFile>): Verdict<StoredFile> {
  // With a status, the API has answered, and the abort was not the cause.
  if (verdict.verdict !== 'unknown' || verdict.failure.status !== undefined) return verdict;
  return { ...verdict, failure: { ...verdict.failure, cause: PROCESS_ENDED.cause } };
}

/** Returns the row's input with the link from an earlier step filled in. */
function withLink(spec: RowSpec, { link }: ReadyLink): RowSpec {
  return link === undefined ? spec : { ...spec, [link.column]: link.url };
}

function notSent(message: string): { readonly verdict: 'not-accepted'; readonly failure: Failure } {
  return { verdict: 'not-accepted', failure: { class: 'NotSent', message } };
}
