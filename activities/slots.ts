import { setTimeout as sleep } from 'node:timers/promises';
import { ApiError } from '../api/speech-api.ts';
import type { FailureClass } from '../contract/failures.ts';
import { answered, isFree, refused, reserve, troubled, type RateState } from '../workflows/policy/rate.ts';
import type { Dependencies } from './dependencies.ts';
import type { EndpointClass } from './seen-limiter.ts';

type Needs = Pick<Dependencies, 'ledger' | 'realm' | 'clock' | 'limiters'>;

/** A limiter that let everything pass is asked again after this, ms: so late may a process hear of another's refusal. */
const TRUST_MS = 250;

/** Limits hold for an account at an API, over all workers and batches. */
function scopeOf(deps: Needs, endpoint: EndpointClass): string {
  return `${deps.realm.apiUrl} ${deps.realm.account} ${endpoint}`;
}

/**
 * Waits for this call's turn under the shared limit and any pause the API asked for. Rejects when the signal aborts.
 * `limit`: the user's own rate in calls per second, or null.
 *
 * As long as there is no limit at all, the limiter is asked only now and then: it would answer "at once", and each answer is
 * a synced commit.
 */
export async function waitForSlot(
  deps: Needs,
  endpoint: EndpointClass,
  limit: number | null,
  signal: AbortSignal,
): Promise<void> {
  for (let waited = true; waited;) {
    signal.throwIfAborted();
    const now = deps.clock.now().wall;
    const seen = deps.limiters.get(endpoint);
    if (limit === null && seen !== undefined && isFree(seen.state, now) && Math.abs(now - seen.at) < TRUST_MS) {
      seen.calls += 1;
      return;
    }
    const slot = await change(deps, endpoint, (state) => reserve(state, limit, 1 + (seen?.calls ?? 0), now));
    await sleep(Math.max(0, slot.startAt - now), undefined, { signal });
    // A refusal of another call may have paused everybody while this one slept.
    waited = slot.startAt > now && (await isPaused(deps, endpoint));
  }
}

/**
 * Makes a free read when its turn comes, and tells everybody what its answer says about the API's health. Rejects as the read
 * does, or when the signal aborts.
 */
export async function readInTurn<T>(
  deps: Needs & Pick<Dependencies, 'reads'>,
  limit: number | null,
  signal: AbortSignal,
  read: () => Promise<T>,
): Promise<T> {
  await waitForSlot(deps, 'read', limit, signal);
  return deps.reads(async () => {
    const sentAt = deps.clock.now().wall;
    try {
      const answer = await read();
      await reportHealth(deps, 'read', sentAt, null);
      return answer;
    } catch (error) {
      if (error instanceof ApiError && !signal.aborted) await reportHealth(deps, 'read', sentAt, error.failure);
      throw error;
    }
  });
}

async function isPaused(deps: Needs, endpoint: EndpointClass): Promise<boolean> {
  const now = deps.clock.now().wall;
  const seen = deps.limiters.get(endpoint);
  if (seen !== undefined && Math.abs(now - seen.at) < TRUST_MS) return seen.state.pausedUntil > now;
  return change(deps, endpoint, (state) => {
    const { state: known } = reserve(state, null, 0, now);
    return { state: known, result: known.pausedUntil > now };
  });
}

/** Tells everybody what an answer says about the API's health. `null`: it answered well. */
export async function reportHealth(
  deps: Needs,
  endpoint: EndpointClass,
  sentAt: number,
  failure: { readonly class: FailureClass; readonly retryAfterMs?: number } | null,
): Promise<void> {
  const now = deps.clock.now().wall;
  switch (failure?.class) {
    case 'RateLimited':
      await change(deps, endpoint, (state) => refused(state, now, sentAt, failure.retryAfterMs));
      break;
    case 'NotSent':
    case 'ServiceDown':
      await change(deps, endpoint, (state) => troubled(state, now));
      break;
    default:
      // Good news only matters after bad news.
      if ((deps.limiters.get(endpoint)?.state.troubles ?? 0) > 0) await change(deps, endpoint, answered);
  }
}

async function change<R>(
  deps: Needs,
  endpoint: EndpointClass,
  step: (state: RateState | undefined) => { readonly state: RateState; readonly result: R },
): Promise<R> {
  const { state, result } = await deps.ledger.updateLimiter<RateState, { state: RateState; result: R }>(
    scopeOf(deps, endpoint),
    (before) => {
      const after = step(before);
      return { state: after.state, result: after };
    },
  );
  deps.limiters.set(endpoint, { state, at: deps.clock.now().wall, calls: 0 });
  return result;
}
