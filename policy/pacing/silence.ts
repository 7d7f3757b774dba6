import type { BatchSettings } from '../../contract/batch.ts';

/** A shorter silence is none, ms: a few calls fail at once now and then, and an answer may take its time. */
const SHORTEST_MS = 15_000;
/** The same of requests on the wire where an answer is the whole speech. */
const SHORTEST_SPEECH_MS = 60_000;
/** Calls that fail are repeated. If none has failed for this long after the pause, nobody makes any, ms. */
const CALLED_WITHIN_MS = 300_000;

/** Calls of one class that fail one after the other. */
export interface FailingCalls {
  /** When the first of them was sent, ms. */
  readonly since: number;
  /** When the last of them failed, ms. */
  readonly lastAt: number;
  /** When the next may be made, ms. */
  readonly pausedUntil: number;
}

/** Paid requests on the wire that somebody waits for, but for those that may still be sending files. */
export interface RequestsOnWire {
  readonly requests: number;
  /** When the first of them was recorded, ms. */
  readonly since: number;
}

/** What is known of the API's answers to the calls of a batch. */
export interface ApiCallFacts {
  /** By class. All batches of an account share these, so the batch itself may have nothing to call for. */
  readonly failing: readonly FailingCalls[];
  readonly onWire: RequestsOnWire | undefined;
  /** When it answered last since these calls, as far as that is recorded, ms; 0 if it did not. */
  readonly answeredAt: number;
}

/** The API answers none of a batch's calls. */
export interface Silence {
  /** Since when, ms. */
  readonly since: number;
  /** Paid requests that have waited for an answer for all that time; 0 where calls fail. */
  readonly requests: number;
}

/** True if what was heard may mean silence, so that it is worth to find out when the API answered last. */
export function mayBeSilent({ failing, onWire }: Omit<ApiCallFacts, 'answeredAt'>, now: number): boolean {
  return failing.length > 0 || (onWire !== undefined && now - onWire.since >= SHORTEST_MS);
}

/**
 * Whether the API counts as silent for a batch: the one decision, for all that is said or counted of it. Its calls have
 * failed since the last answer, or it answers none of the requests on the wire, which tells of it minutes before the
 * first of them is given up.
 */
export function silenceOf(
  { failing, onWire, answeredAt }: ApiCallFacts,
  { tts }: Pick<BatchSettings, 'tts'>,
  now: number,
): Silence | undefined {
  const lasts = (since: number, leastMs: number): boolean => now - since >= leastMs;
  const failed = failing
    .filter(({ lastAt }) => lastAt > answeredAt)
    .filter(({ lastAt, pausedUntil }) => now - Math.max(lastAt, pausedUntil) < CALLED_WITHIN_MS)
    .map(({ since }) => ({ since: Math.max(since, answeredAt), requests: 0 }))
    .filter(({ since }) => lasts(since, SHORTEST_MS));
  const waiting = onWire && { requests: onWire.requests, since: Math.max(onWire.since, answeredAt) };
  const isWaiting = waiting !== undefined && lasts(waiting.since, tts === 'sync' ? SHORTEST_SPEECH_MS : SHORTEST_MS);
  return [...(isWaiting ? [waiting] : []), ...failed].toSorted((one, other) => one.since - other.since)[0];
}
