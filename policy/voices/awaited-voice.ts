import { LONGEST_TRAINING_MS } from './unready-voice.ts';

/**
 * Decides about rows whose voice may still be in training, after a look at the API's list of voices.
 *
 * A voice counts as in training only if the API says so in words that we know. Nobody documents such words, so all
 * others mean that it can be used, and so does a list that does not have the voice: lists may leave out voices that
 * work. If it cannot be used after all, the API refuses the request, free. After such a refusal (`unready-voice.ts`)
 * the list is believed only where it says that the voice is in training: otherwise each look lets one row try.
 */
/** An API that has not returned its list for this long is assumed to have none, ms. */
const LONGEST_SILENCE_MS = 60_000;
/** Shortest and longest pause between two looks, ms. In between, it is a share of the time that has passed. */
export const FIRST_PAUSE_MS = 2_000;
const LAST_PAUSE_MS = 30_000;
const PAUSE_SHARE = 0.1;
/** Time between two looks counts up to this, ms: more means that nobody looked, as in a batch that is paused. */
const LONGEST_STEP_MS = 60_000;

/** A voice's state according to a look at the list. `unread`: the list could not be read. */
export type VoiceSeen = 'training' | 'ready' | 'unlisted' | 'unread';

/** The accumulated observations of a voice. */
export interface VoiceWatch {
  /** For how long it has been looked at, ms. */
  readonly watchedMs: number;
  /** The part of it since the list was last read, ms. */
  readonly silentMs: number;
  /** Whether the list was ever read for it. */
  readonly wasRead: boolean;
}

/**
 * The observations after one more look. `passedMs`: time since the previous look by the wall clock, which may have been
 * set back.
 */
export function watchAfter(watch: VoiceWatch, seen: VoiceSeen, passedMs: number): VoiceWatch {
  const step = Math.min(LONGEST_STEP_MS, Math.max(0, passedMs));
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
  /** One of them is sent; the others wait at least until the next look. */
  | { readonly type: 'try'; readonly pauseMs: number }
  /** It takes too long. */
  | { readonly type: 'give-up' };

/**
 * Decides the next action. `watch`: includes this look. `wasRefused`: the API has refused a row because of the voice
 * since rows wait for it. A voice that was in training when the list was last read is not used merely because the list
 * went silent.
 */
export function nextForVoice(
  seen: VoiceSeen,
  { watchedMs, silentMs, wasRead }: VoiceWatch,
  wasRefused: boolean,
): VoiceNext {
  if (!wasRefused) {
    if (seen === 'ready' || seen === 'unlisted') return { type: 'use' };
    if (seen === 'unread' && !wasRead && silentMs >= LONGEST_SILENCE_MS) return { type: 'use' };
  }
  if (watchedMs >= LONGEST_TRAINING_MS) return { type: 'give-up' };
  const pauseMs = Math.min(LAST_PAUSE_MS, Math.max(FIRST_PAUSE_MS, Math.round(watchedMs * PAUSE_SHARE)));
  return { type: wasRefused && seen !== 'training' ? 'try' : 'look-again', pauseMs };
}

/**
 * Whether a row that has ended goes on by itself with one of these rows, which make voices. The ledger opens it with
 * that row.
 */
export function reopensWith(
  { voiceRow, failure }: { readonly voiceRow: number | null; readonly failure: { readonly class: string } | null },
  makers: ReadonlySet<number>,
): boolean {
  return voiceRow !== null && makers.has(voiceRow) && failure?.class === 'NoVoice';
}
