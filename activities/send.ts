import type { PaidRequest, Verdict } from '../api/speech-api.ts';
import type { FencedAttempt } from '../contract/batch.ts';
import type { SubmitReport } from './submit-report.ts';
import type { Failure } from '../contract/failures.ts';
import { idempotencyKeyOf } from '../contract/names.ts';
import type { RowSpec } from '../contract/row-kinds.ts';
import type { StoredFile } from '../store/store.ts';
import { maySend, type Instant } from '../policy/send-deadline.ts';
import type { Dependencies } from './dependencies.ts';
import type { ReadyLink } from './fresh-link.ts';
import { retryUntilRecorded } from './retry-until-recorded.ts';
import type { LoadedAttempt } from './load-attempt.ts';
import { receivePaid } from './receive-media.ts';
import { recordVerdict } from './record-verdict.ts';
import { atItsMoment, giveBack, type Turn } from './pace.ts';
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
  const isHeld = !(await atItsMoment(deps, turn));
  if (isHeld) giveBack(turn);
  const verdict = isHeld
    ? notSent('The API asked for a pause between the record and the request, so the request was not sent.')
    : await request(deps, sending);
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

/** The last looks, at the signal and at both clocks, then the request itself. */
async function request(
  deps: Dependencies,
  { loaded, key, link, signal, intentAt }: Sending,
): Promise<Verdict<StoredFile>> {
  if (signal.aborted) return notSent('The work was taken away right before sending.');
  if (!maySend(intentAt, deps.clock.now())) {
    return notSent('The process stood still between the record and the request, so the request was not sent.');
  }
  const paid: PaidRequest = {
    operation: loaded.operation,
    spec: withLink(loaded.row.spec, link),
    idempotencyKey: idempotencyKeyOf(deps.ledger.id, key),
    isRepeat: key.attempt > 1,
    trust503: loaded.batch.settings.trust503,
  };
  // Not aborted by the activity's signal: what is in flight is brought home, as long as the process can wait for it.
  return deps.api.send(paid, {
    receive: receivePaid(deps, loaded, key, signal),
    signal: deps.cutting,
  });
}

/** What the row asks for, with what a step before made in its place. */
function withLink(spec: RowSpec, { link }: ReadyLink): RowSpec {
  return link === undefined ? spec : { ...spec, [link.column]: link.url };
}

function notSent(message: string): { readonly verdict: 'not-accepted'; readonly failure: Failure } {
  return { verdict: 'not-accepted', failure: { class: 'NotSent', message } };
}
