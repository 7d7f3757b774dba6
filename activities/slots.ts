import { setTimeout as sleep } from 'node:timers/promises';
import { ApiError } from '../api/speech-api.ts';
import type { Failure } from '../contract/failures.ts';
import { loadBatch } from './load-attempt.ts';
import { answered, isFree, refused, reserve, troubled, type RateState } from '../workflows/policy/rate.ts';
import type { Dependencies } from './dependencies.ts';
import type { EndpointClass } from './seen-limiter.ts';

type Needs = Pick<Dependencies, 'ledger' | 'batches' | 'realm' | 'clock' | 'limiters'>;

/** A limiter that let everything pass is asked again after this, ms: so late may a process hear of another's refusal. */
const TRUST_MS = 250;
/** Who waits looks so often whether the user changed the rate, or stopped the batch, ms. */
const LISTEN_EVERY_MS = 1_000;
/** A slot that is further away than the limiter gives them is asked for again when it is this far away, ms. */
const ASK_AHEAD_MS = 500;

/** Limits hold for an account at an API, over all workers and batches. */
function scopeOf(deps: Needs, endpoint: EndpointClass): string {
  return `${deps.realm.apiUrl} ${deps.realm.account} ${endpoint}`;
}

/**
 * Waits for this call's turn under the shared limit and any pause the API asked for. Rejects when the signal aborts, or when
 * `patience` does before a turn was given; one that was given would be lost for all. The rate is
 * the one that the batch has now, also when it changes meanwhile. A paid request of a batch that no longer runs need not
 * wait: its intent will be refused.
 *
 * As long as there is no limit at all, the limiter is asked only now and then: it would answer "at once", and each answer is
 * a synced commit.
 */
export async function waitForSlot(
  deps: Needs,
  endpoint: EndpointClass,
  batch: string,
  signal: AbortSignal,
  patience = signal,
): Promise<void> {
  for (;;) {
    patience.throwIfAborted();
    const { control, settings } = await loadBatch(deps, batch);
    if (endpoint === 'create' && control !== 'running') return;
    const limit = endpoint === 'create' ? settings.limits.rate : settings.limits.pollRate;
    const now = deps.clock.now().wall;
    const seen = deps.limiters.get(endpoint);
    const isFresh = seen !== undefined && Math.abs(now - seen.at) < TRUST_MS;
    if (limit === null && isFresh && isFree(seen.state, now)) {
      seen.calls += 1;
      return;
    }
    const unasked = seen?.calls ?? 0;
    const slot = await change(deps, endpoint, (state) => reserve(state, { batch, limit, unasked }, now));
    if (!slot.isGiven) {
      await sleep(Math.min(LISTEN_EVERY_MS, slot.startAt - now - ASK_AHEAD_MS), undefined, { signal: patience });
      continue;
    }
    await sleep(Math.max(0, slot.startAt - now), undefined, { signal });
    // A refusal of another call may have paused everybody while this one slept.
    if (slot.startAt <= now || !(await isPaused(deps, endpoint, batch))) return;
  }
}

/**
 * Makes a free read for a batch when its turn comes, and tells everybody what its answer says about the API's health. Rejects as
 * the read does, or when a signal aborts before its turn, as in {@link waitForSlot}.
 */
export async function readInTurn<T>(
  deps: Needs & Pick<Dependencies, 'reads'>,
  batch: string,
  signal: AbortSignal,
  read: () => Promise<T>,
  patience = signal,
): Promise<T> {
  await waitForSlot(deps, 'read', batch, signal, patience);
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

async function isPaused(deps: Needs, endpoint: EndpointClass, batch: string): Promise<boolean> {
  const now = deps.clock.now().wall;
  const seen = deps.limiters.get(endpoint);
  if (seen !== undefined && Math.abs(now - seen.at) < TRUST_MS) return seen.state.pausedUntil > now;
  return change(deps, endpoint, (state) => {
    const { state: known, result } = reserve(state, { batch, limit: null, unasked: 0 }, now);
    return { state: state ?? known, result: !result.isGiven || known.pausedUntil > now };
  });
}

/** Tells everybody what an answer says about the API's health. `null`: it answered well. */
export async function reportHealth(
  deps: Needs,
  endpoint: EndpointClass,
  sentAt: number,
  failure: Pick<Failure, 'class' | 'retryAfterMs' | 'limit'> | null,
): Promise<void> {
  const now = deps.clock.now().wall;
  switch (failure?.class) {
    case 'RateLimited':
      // Too many jobs at once says nothing about the pace.
      await change(deps, endpoint, (state) =>
        failure.limit === 'concurrency'
          ? troubled(state, now, failure.retryAfterMs)
          : refused(state, now, sentAt, failure.retryAfterMs),
      );
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
