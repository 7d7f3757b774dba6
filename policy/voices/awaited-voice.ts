import { MAX_TRAINING_MS } from './unready-voice.ts';

/**
 * Decides when rows may use a voice that may still be in training, by polling the API's list of voices.
 *
 * A voice counts as in training only if the list says so in known words. Such words are undocumented, so any other
 * state means that the voice can be used, and so does a list without the voice, because lists may omit voices that
 * work. If the voice cannot be used after all, the API refuses the request, free. After such a refusal
 * (`unready-voice.ts`), the list is trusted only if it says that the voice is in training; otherwise one row tries
 * again after each poll.
 */

/** If the list could not be read for this long, the API is assumed to have none, ms. */
const MAX_SILENCE_MS = 60_000;
/** Shortest and longest pause between two polls, ms. In between, it is a share of the time that has passed. */
export const FIRST_PAUSE_MS = 2_000;
const MAX_PAUSE_MS = 30_000;
const PAUSE_SHARE = 0.1;
/** Time between two polls counts up to this, ms: more means that nobody polled, as in a batch that is paused. */
const MAX_STEP_MS = 60_000;

/** A voice's state according to the list. `unread`: the list could not be read. */
export type VoiceSeen = 'training' | 'ready' | 'unlisted' | 'unread';

/** The accumulated observations of a voice. */
export interface VoiceWatch {
  /** For how long the voice has been polled, ms. */
  readonly watchedMs: number;
  /** Time of that since the list was last read, ms. */
  readonly silentMs: number;
  /** Whether the list was ever read for this voice. */
  readonly wasRead: boolean;
}

/**
 * Returns the observations after one more poll. `passedMs`: time since the previous poll by the wall clock, which may
 * have been set back.
 */
export function watchAfter(watch: VoiceWatch, seen: VoiceSeen, passedMs: number): VoiceWatch {
  const step = Math.min(MAX_STEP_MS, Math.max(0, passedMs));
  const isRead = seen !== 'unread';
  return {
    watchedMs: watch.watchedMs + step,
    silentMs: isRead ? 0 : watch.silentMs + step,
    wasRead: watch.wasRead || isRead,
  };
}

/** The next action for the rows of a voice. */
export type VoiceNext =
  | { readonly type: 'use' }
  | { readonly type: 'look-again'; readonly pauseMs: number }
  /** Send one of the rows; the others wait at least until the next poll. */
  | { readonly type: 'try'; readonly pauseMs: number }
  /** Training takes too long: the rows fail, unpaid. */
  | { readonly type: 'give-up' };

/**
 * Decides the next action for the rows of a voice. The observations include this poll. `wasRefused`: the API has
 * refused a row because of the voice since rows wait for it. A voice that was in training when the list was last read
 * is not used merely because the list went silent.
 */
export function nextForVoice(
  seen: VoiceSeen,
  { watchedMs, silentMs, wasRead }: VoiceWatch,
  wasRefused: boolean,
): VoiceNext {
  if (!wasRefused) {
    if (seen === 'ready' || seen === 'unlisted') return { type: 'use' };
    if (seen === 'unread' && !wasRead && silentMs >= MAX_SILENCE_MS) return { type: 'use' };
  }
  if (watchedMs >= MAX_TRAINING_MS) return { type: 'give-up' };
  const pauseMs = Math.min(MAX_PAUSE_MS, Math.max(FIRST_PAUSE_MS, Math.round(watchedMs * PAUSE_SHARE)));
  return { type: wasRefused && seen !== 'training' ? 'try' : 'look-again', pauseMs };
}

/**
 * Whether an ended row reopens automatically together with the row that makes its voice. `makers`: numbers of the rows
 * that reopen.
 */
export function reopensWith(
  { voiceRow, failure }: { readonly voiceRow: number | null; readonly failure: { readonly class: string } | null },
  makers: ReadonlySet<number>,
): boolean {
  return voiceRow !== null && makers.has(voiceRow) && failure?.class === 'NoVoice';
}
