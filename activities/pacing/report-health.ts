import { defined } from '../../contract/defined.ts';
import type { Observe } from '../../contract/work-events.ts';
import { publicCause, type Failure, type FailureClass } from '../../contract/failures.ts';
import { limiterScope } from '../../contract/names.ts';
import type { LimiterStep } from '../../policy/pacing/limiter-step.ts';
import { SHORTEST_PAUSE_MS } from '../../policy/pacing/rate.ts';
import type { Pace, Turn } from './pace.ts';
import type { EndpointClass, PaceNeeds } from './rate-lease.ts';

/** What an answer, or its absence, says about the API. */
type Health = 'well' | 'slow-down' | 'trouble';

/**
 * What each class says about the API's health. `OutcomeUnknown` is a timeout, a cut or a 5xx to a paid request: a bad
 * sign, and each more leaves another row in doubt. The other refusals come from a working API. The last ones are ours,
 * not the answer to a call.
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
 * Consecutive troubles before all processes pause. Pauses do not help an API that drops some of its calls, and the
 * batch would stand still most of the time; an API that is down fails every call. Another paid request may put another
 * row in doubt; another read costs nothing.
 */
const TROUBLES_TO_PAUSE: Readonly<Record<EndpointClass, number>> = { create: 3, read: 5 };

/**
 * Reports to all processes what the answer to a call says about the API's health; `null`: a good answer. Costs no
 * transaction if it adds nothing: a good answer after good ones, or another refusal of calls that were in flight
 * together.
 */
export async function reportHealth(
  deps: PaceNeeds & { readonly pace: Pace; readonly observe: Observe },
  turn: Turn,
  failure: Pick<Failure, 'class' | 'retryAfterMs' | 'limit' | 'status' | 'cause'> | null,
): Promise<void> {
  const { pace } = deps;
  const health = failure === null ? 'well' : HEALTH[failure.class];
  if (health === 'well' && !pace.noteSuccess(turn)) return;
  const { endpoint, slot } = turn;
  const { wall: now, monotonic } = deps.clock.now();
  const sentAt = now - (monotonic - slot.at);
  const wish = defined({ retryAfterMs: failure?.retryAfterMs });
  const tell = async (step: Extract<LimiterStep, { type: 'answered' | 'refused' | 'troubled' }>): Promise<void> => {
    const { pauseMs } = await deps.ledger.updateLimiter(limiterScope(deps, endpoint), step);
    pace.pause(endpoint, monotonic, { pauseMs });
    const why = failure === null ? {} : causeOf(failure);
    deps.observe({ type: 'limiter', of: endpoint, is: health, pauseMs, ...(health === 'well' ? {} : why) });
  };
  switch (health) {
    case 'well':
      return tell({ type: 'answered', now, sentAt });
    case 'slow-down': {
      slot.isRefused = true;
      // Too many jobs at once says nothing about the pace.
      if (failure?.limit === 'concurrency') return;
      if (!pace.isUnreported(turn)) return;
      const counted = pace.usedBefore(endpoint, slot.at);
      pace.noteReported(endpoint, monotonic);
      // Pause this process's calls at once: others are about to go while the ledger is being told.
      pace.pause(endpoint, monotonic, { pauseMs: Math.max(SHORTEST_PAUSE_MS, failure?.retryAfterMs ?? 0) });
      return tell({ type: 'refused', owner: deps.owner, counted, stated: pace.statedFor(turn), sentAt, now, ...wish });
    }
    case 'trouble': {
      const isPassing =
        pace.countTrouble(endpoint) < TROUBLES_TO_PAUSE[endpoint] && failure?.retryAfterMs === undefined;
      if (isPassing || !pace.isUnreported(turn)) return;
      pace.noteReported(endpoint, monotonic);
      return tell({ type: 'troubled', now, sentAt, ...wish });
    }
  }
}

/** What happened, for an event. */
function causeOf(failure: Pick<Failure, 'class' | 'status' | 'cause'>) {
  return { failure: failure.class, ...defined({ status: failure.status, cause: publicCause(failure) }) };
}
