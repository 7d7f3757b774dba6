import { defined } from '../../contract/defined.ts';
import type { Observe } from '../../contract/work-events.ts';
import { publicCause, type Failure, type FailureClass } from '../../contract/failures.ts';
import { limiterScope } from '../../contract/names.ts';
import type { LimiterStep } from '../../policy/pacing/limiter-step.ts';
import type { Refusal } from '../../policy/pacing/learned-limit.ts';
import { MIN_PAUSE_MS } from '../../policy/pacing/rate.ts';
import type { Pace, Turn } from './pace.ts';
import type { EndpointClass, PaceNeeds } from './rate-lease.ts';

/** What the answer to a call, or its absence, says about the API. */
type Health = 'well' | 'slow-down' | 'trouble';

/**
 * What each failure class says about the API's health. `OutcomeUnknown` is a timeout, a broken connection or a 5xx to a
 * paid request: a sign of trouble, and each further one leaves another row in doubt. Refusals such as `BadRequest` come
 * from a working API. The classes from `OverBudget` on are voxbatch's own, never the answer to a call.
 */
const HEALTH: Readonly<Record<FailureClass, Health>> = {
  RateLimited: 'slow-down',
  NotSent: 'trouble',
  ServiceDown: 'trouble',
  OutcomeUnknown: 'trouble',
  OutOfCredits: 'well',
  BadToken: 'well',
  BadRequest: 'well',
  JobFailed: 'well',
  ResultGone: 'well',
  Unfit: 'well',
  OverBudget: 'well',
  NotChosen: 'well',
  NotCached: 'well',
  NoVoice: 'well',
  Overdue: 'well',
  NotJoined: 'well',
  InternalError: 'well',
};

/**
 * Consecutive troubles before all processes pause. Several, because an API that drops only some calls is not helped by
 * pauses. Fewer for paid requests, because each further one may leave a row in doubt; a read costs nothing.
 */
const TROUBLES_TO_PAUSE: Readonly<Record<EndpointClass, number>> = { create: 3, read: 5 };

/** The part of a call's failure that is reported. */
type CallFailure = Pick<Failure, 'class' | 'retryAfterMs' | 'limit' | 'status' | 'cause'>;

/**
 * Reports to all processes, by the ledger, what the answer to a call says about the API's health, and pauses this
 * process's calls if need be. `failure`: null for a good answer. Costs no transaction if it says nothing new: a good
 * answer after good ones, or a further refusal among calls that were in flight together.
 */
export async function reportHealth(
  deps: PaceNeeds & { readonly pace: Pace; readonly observe: Observe },
  turn: Turn,
  failure: CallFailure | null,
): Promise<void> {
  const { pace } = deps;
  const health = failure === null ? 'well' : HEALTH[failure.class];
  if (health === 'well' && !pace.noteSuccess(turn)) return;
  const { endpoint, slot } = turn;
  const { wall: now, monotonic } = deps.clock.now();
  const times = { now, sentAt: now - (monotonic - slot.at) };
  const report = async (step: Extract<LimiterStep, { type: 'answered' | 'refused' | 'troubled' }>): Promise<void> => {
    const { pauseMs } = await deps.ledger.updateLimiter(limiterScope(deps, endpoint), step);
    pace.pause(endpoint, monotonic, { pauseMs });
    const why = failure === null ? {} : causeOf(failure);
    deps.observe({ type: 'limiter', of: endpoint, is: health, pauseMs, ...(health === 'well' ? {} : why) });
  };
  if (failure === null || health === 'well') return report({ type: 'answered', ...times });
  const asked = defined({ retryAfterMs: failure.retryAfterMs });
  if (health === 'trouble') {
    if (noteTrouble(pace, turn, failure, monotonic)) await report({ type: 'troubled', ...times, ...asked });
    return;
  }
  const refusal = noteRefusal(pace, turn, failure, monotonic);
  if (refusal !== undefined) await report({ type: 'refused', owner: deps.owner, ...refusal, ...times, ...asked });
}

/**
 * Notes that a call found trouble, and returns whether to report it: only after several in a row, or if the API said
 * how long to wait. `monotonic`: now, ms.
 */
function noteTrouble(pace: Pace, turn: Turn, { retryAfterMs }: CallFailure, monotonic: number): boolean {
  const { endpoint } = turn;
  const isPassing = pace.countTrouble(endpoint) < TROUBLES_TO_PAUSE[endpoint] && retryAfterMs === undefined;
  if (isPassing || !pace.isUnreported(turn)) return false;
  pace.noteReported(endpoint, monotonic);
  return true;
}

/**
 * Notes that a call was refused for its rate, and pauses this process's calls of its class. Returns what to report: how
 * many calls were made in the second before it, and the rate that the user stated. Undefined if the refusal says
 * nothing new. `monotonic`: now, ms.
 */
function noteRefusal(
  pace: Pace,
  turn: Turn,
  { limit, retryAfterMs = 0 }: CallFailure,
  monotonic: number,
): Pick<Refusal, 'counted' | 'stated'> | undefined {
  const { endpoint, slot } = turn;
  slot.isRefused = true;
  // A refusal for too many concurrent jobs says nothing about the rate.
  if (limit === 'concurrency' || !pace.isUnreported(turn)) return undefined;
  const counted = pace.usedBefore(endpoint, slot.at);
  pace.noteReported(endpoint, monotonic);
  // At once, because others are about to be sent while the ledger is written.
  pace.pause(endpoint, monotonic, { pauseMs: Math.max(MIN_PAUSE_MS, retryAfterMs) });
  return { counted, stated: pace.statedFor(turn) };
}

/** Returns what an event says about a failure. */
function causeOf(failure: CallFailure) {
  return { failure: failure.class, ...defined({ status: failure.status, cause: publicCause(failure) }) };
}
