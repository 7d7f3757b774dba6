import { setTimeout as sleep } from 'node:timers/promises';
import type { FailureClass } from '../contract/failures.ts';
import { answered, refused, reserve, troubled, type RateState } from '../workflows/policy/rate.ts';
import type { Dependencies } from './dependencies.ts';

/** Endpoint classes that are limited apart: requests that pay, and free reads. */
export type EndpointClass = 'create' | 'read';

type Needs = Pick<Dependencies, 'ledger' | 'realm' | 'clock'>;

/** Limits hold for an account at an API, over all workers and batches. */
function scopeOf(deps: Needs, endpoint: EndpointClass): string {
  return `${deps.realm.apiUrl} ${deps.realm.account} ${endpoint}`;
}

/**
 * Waits for this call's turn under the shared limit and any pause the API asked for. Rejects when the signal aborts.
 * `limit`: the user's own rate in calls per second, or null.
 */
export async function waitForSlot(
  deps: Needs,
  endpoint: EndpointClass,
  limit: number | null,
  signal: AbortSignal,
): Promise<void> {
  const scope = scopeOf(deps, endpoint);
  for (let waited = true; waited;) {
    signal.throwIfAborted();
    const now = deps.clock.now().wall;
    const slot = await deps.ledger.updateLimiter<RateState, { startAt: number }>(scope, (state) =>
      reserve(state, limit, 1, now),
    );
    await sleep(Math.max(0, slot.startAt - now), undefined, { signal });
    // A refusal of another call may have paused everybody while this one slept.
    waited = slot.startAt > now && (await isPaused(deps, scope));
  }
}

async function isPaused(deps: Needs, scope: string): Promise<boolean> {
  const now = deps.clock.now().wall;
  return deps.ledger.updateLimiter<RateState, boolean>(scope, (state) => {
    const known = state ?? reserve(undefined, null, 0, now).state;
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
  const scope = scopeOf(deps, endpoint);
  const now = deps.clock.now().wall;
  switch (failure?.class) {
    case 'RateLimited':
      await deps.ledger.updateLimiter<RateState, undefined>(scope, (state) =>
        refused(state, now, sentAt, failure.retryAfterMs),
      );
      break;
    case 'NotSent':
    case 'ServiceDown':
      await deps.ledger.updateLimiter<RateState, undefined>(scope, (state) => troubled(state, now));
      break;
    default:
      await deps.ledger.updateLimiter<RateState, undefined>(scope, answered);
  }
}
