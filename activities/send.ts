import type { PaidRequest, Receive, Verdict } from '../api/speech-api.ts';
import type { AttemptKey, FencedAttempt } from '../contract/batch.ts';
import type { SubmitReport } from './submit-report.ts';
import type { Failure } from '../contract/failures.ts';
import { idempotencyKeyOf } from '../contract/names.ts';
import type { RowSpec } from '../contract/row-kinds.ts';
import { StoreUnwritable } from '../store/errors.ts';
import type { StoredFile } from '../store/store.ts';
import { maySend, type Instant } from '../policy/send-deadline.ts';
import type { Dependencies } from './dependencies.ts';
import type { ReadyLink } from './fresh-link.ts';
import { retryUntilRecorded } from './retry-until-recorded.ts';
import type { LoadedAttempt } from './load-attempt.ts';
import { notePrice } from './note-price.ts';
import { receiveMedia } from './receive-media.ts';
import { recordVerdict } from './record-verdict.ts';
import { atItsMoment, type Turn } from './pace.ts';
import { reportHealth } from './report-health.ts';

/** A request that is on record and may be sent. */
export interface Sending {
  readonly loaded: LoadedAttempt;
  readonly key: FencedAttempt;
  readonly link: ReadyLink;
  readonly signal: AbortSignal;
  readonly intentAt: Instant;
  readonly turn: Turn;
}

/** From the synced intent to the recorded verdict. */
export async function send(deps: Dependencies, sending: Sending): Promise<SubmitReport> {
  const { loaded, key, signal, turn } = sending;
  await deps.atFaultPoint('after-intent');
  await atItsMoment(deps, turn);
  const isHeld = deps.pace.isHeld(turn, deps.clock.now().monotonic);
  if (isHeld) deps.pace.giveBack(turn);
  const verdict = isHeld
    ? notSent('The API asked for a pause between the record and the request, so the request was not sent.')
    : await sendOnce(deps, sending);
  const failure = 'failure' in verdict ? verdict.failure : null;
  // At once, for others are about to send; its transaction is the verdict's as a rule.
  const telling = isHeld ? Promise.resolve() : reportHealth(deps, turn, failure);
  telling.catch(() => undefined);
  await deps.atFaultPoint('after-answer');
  const report = await retryUntilRecorded(deps, key, verdict, signal, () => recordVerdict(deps, loaded, key, verdict));
  await deps.atFaultPoint('after-verdict');
  await telling;
  if (failure?.limit === 'concurrency') await deps.concurrencyLimit.refused(deps);
  return report;
}

async function sendOnce(
  deps: Dependencies,
  { loaded, key, link, signal, intentAt }: Sending,
): Promise<Verdict<StoredFile>> {
  if (signal.aborted) return notSent('The work was taken away right before sending.');
  if (!maySend(intentAt, deps.clock.now())) {
    return notSent('The process stood still between the record and the request, so the request was not sent.');
  }
  const request: PaidRequest = {
    operation: loaded.operation,
    spec: withLink(loaded.row.spec, link),
    idempotencyKey: idempotencyKeyOf(deps.ledger.id, key),
    isRepeat: key.attempt > 1,
    trust503: loaded.batch.settings.trust503,
  };
  // Not aborted by the activity's signal: what is in flight is brought home, as long as the process can wait for it.
  return deps.api.send(request, {
    receive: notingPrice(deps, key, keeping(deps, key, signal, receiveMedia(deps, loaded, key))),
    signal: deps.cutting,
  });
}

/** What the row asks for, with what a step before made in its place. */
function withLink(spec: RowSpec, { link }: ReadyLink): RowSpec {
  return link === undefined ? spec : { ...spec, [link.column]: link.url };
}

/** The price is on record before the result is in the store. */
function notingPrice<T>(deps: Dependencies, key: AttemptKey, receive: Receive<T>): Receive<T> {
  return async (body, info) => {
    await notePrice(deps, key, info);
    return receive(body, info);
  };
}

/**
 * A result that could not be stored is a verdict to the client; to the user it is also a disk that needs help. One that came whole is kept until
 * the disk takes it, as a verdict is: it comes once, and it is paid for.
 */
function keeping<T>(deps: Dependencies, key: AttemptKey, signal: AbortSignal, receive: Receive<T>): Receive<T> {
  return async (body, info) => {
    if (Buffer.isBuffer(body))
      return retryUntilRecorded(deps, key, { verdict: 'done' }, signal, () => receive(body, info));
    try {
      return await receive(body, info);
    } catch (error) {
      if (error instanceof StoreUnwritable) deps.onFault(error);
      throw error;
    }
  };
}

function notSent(message: string): { readonly verdict: 'not-accepted'; readonly failure: Failure } {
  return { verdict: 'not-accepted', failure: { class: 'NotSent', message } };
}
