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
import { LEAST_LEAD_MS } from '../policy/pacing/lead.ts';
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

/** Time of a synced commit, including the round trip to the ledger thread, ms. */
const COMMIT_MS = 5;

/** The result terms recorded with a request: its cache key, and whether an earlier result may replace it. */
export type ResultTerms = Pick<Intent, 'resultKey' | 'reuse' | 'source'>;

/** An attempt whose turn has come. */
export interface Sending {
  readonly loaded: LoadedAttempt;
  readonly key: FencedAttempt;
  readonly link: ReadyLink;
  /** The links to the local media that it sends. */
  readonly media: SentMedia;
  readonly turn: Turn;
  readonly signal: AbortSignal;
  readonly terms: ResultTerms;
  /** Whether the requested voice name is free; undefined if unknown, or if the request makes no voice. */
  readonly nameWasFree: boolean | undefined;
}

/**
 * Records the intent, exclusively and synced, sends the request at its time, and records the verdict. `full`: the
 * common limit for requests in flight has no room now; nothing was recorded.
 */
export function send(deps: Dependencies, sending: Sending): Promise<SubmitReport | 'full'> {
  // From before the intent, which may wait to share a commit: a process that ends waits for it, and leaves none unsent.
  return deps.sends.track(attemptName(sending.key), intendAndSend(deps, sending));
}

async function intendAndSend(deps: Dependencies, sending: Sending): Promise<SubmitReport | 'full'> {
  const { key, turn } = sending;
  // Read again each time: the user may change the settings meanwhile.
  const { settings } = await loadBatch(deps, key.batch);
  // Taken before the intent, so that a process that stalls in between notices.
  const askedAt = deps.clock.now();
  const intent = await deps.ledger.intend(key, intentOf(deps, sending, settings, askedAt));
  const ms = deps.clock.now().monotonic - askedAt.monotonic;
  deps.observe({ type: 'intent', ...key, answer: intent.type, ms });
  // Others may have waited for the same room.
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

/** The intent recorded before a request is sent: its cost, and that of its row's later steps. */
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
    // May wait to share a commit, as long as it is on disk when the request is due. A longer lead is for slow commits.
    patienceMs: Math.max(0, Math.min(LEAST_LEAD_MS, turn.slot.at - askedAt.monotonic) - COMMIT_MS),
    ...defined({ fence: key.fence, nameWasFree }),
    ...(link === undefined ? {} : { linkHash: hashOf(link.url) }),
  };
}

/** From the synced intent to the recorded verdict. */
async function sendRecorded(deps: Dependencies, sending: Sending, intentAt: Instant): Promise<SubmitReport> {
  const { loaded, key, turn } = sending;
  await deps.atFaultPoint('after-intent');
  const leave = await leaveToSend(deps, sending, intentAt);
  const isSent = 'links' in leave;
  if (!isSent) giveBack(turn);
  const verdict = isSent ? await request(deps, sending, leave.links) : leave;
  const failure = 'failure' in verdict ? verdict.failure : null;
  // Reported at once, because others are about to send; it usually shares the commit of the verdict. What was not sent
  // says nothing about the API.
  const telling = isSent ? reportHealth(deps, turn, failure) : Promise.resolve();
  telling.catch(() => undefined);
  await deps.atFaultPoint('after-answer');
  const report = await recordVerdict(deps, loaded, key, verdict);
  await deps.atFaultPoint('after-verdict');
  await telling;
  if (failure?.limit === 'concurrency') await deps.concurrencyLimit.refused(deps);
  return report;
}

/**
 * Checks a last time, with the signal and both clocks, whether the request may go: the links to its local media, or the
 * verdict if it may not.
 */
async function leaveToSend(
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
  // Not the activity's signal: a request in flight is carried through to its answer for as long as the process can
  // wait.
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

/** Verdict on a request whose answer was cut off because this process ended. */
function cutOff(verdict: Verdict<StoredFile>): Verdict<StoredFile> {
  // A status means that the API did answer.
  if (verdict.verdict !== 'unknown' || verdict.failure.status !== undefined) return verdict;
  return { ...verdict, failure: { ...verdict.failure, cause: PROCESS_ENDED.cause } };
}

/** The row's input, with the link from an earlier step filled in. */
function withLink(spec: RowSpec, { link }: ReadyLink): RowSpec {
  return link === undefined ? spec : { ...spec, [link.column]: link.url };
}

function notSent(message: string): { readonly verdict: 'not-accepted'; readonly failure: Failure } {
  return { verdict: 'not-accepted', failure: { class: 'NotSent', message } };
}
