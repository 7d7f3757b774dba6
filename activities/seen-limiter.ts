import type { RateState } from '../workflows/policy/rate.ts';

/** Endpoint classes that are limited apart: requests that pay, and free reads. */
export type EndpointClass = 'create' | 'read';

/** What this process last saw of a shared limiter. */
export interface SeenLimiter {
  readonly state: RateState;
  /** Wall clock, ms. */
  readonly at: number;
  /** Calls that went without asking since. */
  calls: number;
}
