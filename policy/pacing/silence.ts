import type { BatchSettings } from '../../contract/batch.ts';

/** Decides whether the API counts as silent (it answers none of a batch's calls), for status, metrics and alerts. */

/** A shorter silence does not count, ms: single calls fail now and then, and an answer may take some time. */
const MIN_SILENCE_MS = 15_000;
/** The same for paid requests whose answer is the whole speech (`--tts sync`), ms. */
const MIN_SPEECH_SILENCE_MS = 60_000;
/** Failing calls are repeated after a pause. If none was for this long, no process makes such calls any more, ms. */
const CALLED_WITHIN_MS = 300_000;

/** Consecutive failing calls of one class. */
export interface FailingCalls {
  /** When the first of them was sent, ms. */
  readonly since: number;
  /** When the last of them failed, ms. */
  readonly lastAt: number;
  /** When the next one may be made, ms. */
  readonly pausedUntil: number;
}

/** Paid requests in flight, without those that may still be uploading files. */
export interface RequestsOnWire {
  readonly requests: number;
  /** When the first of them was recorded, ms. */
  readonly since: number;
}

/** What is known about the API's answers to a batch's calls. */
export interface ApiCallFacts {
  /** One entry per call class. All batches of an account share them, so they may come from another batch. */
  readonly failing: readonly FailingCalls[];
  readonly onWire: RequestsOnWire | undefined;
  /** When the API last answered after these calls began, as far as recorded, ms; 0 if it did not. */
  readonly answeredAt: number;
}

/** The API answers none of a batch's calls. */
export interface Silence {
  /** Its beginning, ms. */
  readonly since: number;
  /** Number of paid requests that wait for an answer since then; 0 if calls fail instead. */
  readonly requests: number;
}

/** Whether the API may be silent, so that the caller should look up `answeredAt`, which costs a query. */
export function mayBeSilent({ failing, onWire }: Omit<ApiCallFacts, 'answeredAt'>, now: number): boolean {
  return failing.length > 0 || (onWire !== undefined && now - onWire.since >= MIN_SILENCE_MS);
}

/**
 * Decides whether the API is silent for a batch; undefined if not. It is if calls have failed since its last answer, or
 * if it answers none of the requests in flight, which shows minutes before the first of them times out. `now`: ms.
 */
export function silenceOf(
  { failing, onWire, answeredAt }: ApiCallFacts,
  { tts }: Pick<BatchSettings, 'tts'>,
  now: number,
): Silence | undefined {
  const lasts = (since: number, minMs: number): boolean => now - since >= minMs;
  const failed = failing
    .filter(({ lastAt }) => lastAt > answeredAt)
    .filter(({ lastAt, pausedUntil }) => now - Math.max(lastAt, pausedUntil) < CALLED_WITHIN_MS)
    .map(({ since }) => ({ since: Math.max(since, answeredAt), requests: 0 }))
    .filter(({ since }) => lasts(since, MIN_SILENCE_MS));
  const waiting = onWire && { requests: onWire.requests, since: Math.max(onWire.since, answeredAt) };
  const isWaiting =
    waiting !== undefined && lasts(waiting.since, tts === 'sync' ? MIN_SPEECH_SILENCE_MS : MIN_SILENCE_MS);
  return [...(isWaiting ? [waiting] : []), ...failed].toSorted((one, other) => one.since - other.since)[0];
}
