import type { ApiStanding } from '../../policy/pacing/rate.ts';
import type { PaceView } from './pace.ts';

/** A shorter silence is none, ms: a few calls fail at once now and then, and the pace holds. */
const SHORTEST_MS = 10_000;

/** For how long the API has been silent, ms; undefined if it answers. */
export function silenceOf(api: ApiStanding | undefined, now: number): number | undefined {
  const silentSince = api?.silentSince ?? null;
  const silentMs = silentSince === null ? 0 : now - silentSince;
  return silentMs < SHORTEST_MS ? undefined : silentMs;
}

/** A pace, or none while the API is silent: the rows of its last minute do not tell when it answers again. */
export function paceWhile(api: ApiStanding | undefined, pace: PaceView, now = Date.now()): PaceView {
  return silenceOf(api, now) === undefined ? pace : { rowsPerSecond: 0, secondsLeft: null };
}
