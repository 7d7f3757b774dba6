import { limitReached, joinLimit, type ConcurrencyAnswer, type ConcurrencyState } from './concurrency-limit.ts';
import { learnTimes, NO_JOB_TIMES, type JobTimes, type Span } from '../polling/job-times.ts';
import { lease, type LeaseAnswer, type LeaseRequest } from './rate-lease.ts';
import type { Refusal } from './learned-limit.ts';
import { recordAnswer, recordRefusal, recordTrouble, type RateState } from './rate.ts';

/**
 * A process's requests to the shared limiters: rate, concurrency, and job times. Plain data, because the ledger, which
 * keeps the states, runs the step, perhaps in another thread.
 */
export type LimiterStep =
  | ({ readonly type: 'lease' } & LeaseRequest)
  | ({ readonly type: 'refused' } & Refusal & { readonly retryAfterMs?: number })
  | { readonly type: 'troubled'; readonly now: number; readonly sentAt: number; readonly retryAfterMs?: number }
  | { readonly type: 'answered'; readonly now: number; readonly sentAt: number }
  /** Asks for the concurrency limit; see `concurrency-limit.ts`. */
  | { readonly type: 'join'; readonly owner: string; readonly now: number }
  /** A request was refused because too many jobs are unfinished. */
  | { readonly type: 'limit-reached'; readonly owner: string; readonly running: number; readonly now: number }
  /** Adds job times that this process has observed; an empty list only asks for everybody's. */
  | { readonly type: 'learn'; readonly spans: readonly Span[] };

/** A pause for all processes. */
export interface Pause {
  /** From now, ms; 0 for none. */
  readonly pauseMs: number;
}

/** The answer to a step, by its type. */
export type LimiterAnswer<Step extends LimiterStep> = Step extends { readonly type: 'lease' }
  ? LeaseAnswer
  : Step extends { readonly type: 'learn' }
    ? JobTimes
    : Step extends { readonly type: 'join' | 'limit-reached' }
      ? ConcurrencyAnswer
      : Pause;

/**
 * Takes a step on a limiter's state, which is undefined at first. If the returned state is the same object, nothing
 * need be written.
 */
export function takeStep(
  state: unknown,
  step: LimiterStep,
): { readonly state: unknown; readonly result: LimiterAnswer<LimiterStep> } {
  const before = state as RateState | undefined;
  switch (step.type) {
    case 'join':
      return joinLimit(state as ConcurrencyState | undefined, step.owner, step.now);
    case 'limit-reached':
      return joinLimit(
        limitReached(state as ConcurrencyState | undefined, step.running, step.now),
        step.owner,
        step.now,
      );
    case 'learn': {
      const times = learnTimes((state as JobTimes | undefined) ?? NO_JOB_TIMES, step.spans);
      return { state: times, result: times };
    }
    case 'lease':
      return lease(before, step);
    case 'refused':
      return paused(recordRefusal(before, step), step.now);
    case 'troubled':
      return paused(recordTrouble(before, step), step.now);
    case 'answered':
      return paused(recordAnswer(before, step), step.now);
  }
}

function paused(state: RateState, now: number): { readonly state: RateState; readonly result: Pause } {
  return { state, result: { pauseMs: Math.max(0, state.pausedUntil - now) } };
}
