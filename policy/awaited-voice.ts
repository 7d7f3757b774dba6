/**
 * What becomes of rows whose voice may still be in training, after a look at the API's list of voices.
 *
 * A voice counts as in training only if the API says so in words that we know. Nobody documents such words, so all others
 * mean that it can be used, and so does a list that does not have the voice: lists may leave out voices that work. If it
 * cannot be used after all, the API refuses the request, free.
 */

/** How long training may take, ms; the rows are given up after that. */
export const LONGEST_TRAINING_MS = 60 * 60_000;
/** An API that cannot be asked for so long is taken to have no list, ms. */
const LONGEST_SILENCE_MS = 60_000;
/** Shortest and longest pause between two looks, ms. In between, it is a share of the time that has passed. */
const FIRST_PAUSE_MS = 2_000;
const LAST_PAUSE_MS = 30_000;
const PAUSE_SHARE = 0.1;

/** What a look at the list says of a voice. `unread`: the list could not be read. */
export type VoiceSeen = 'training' | 'ready' | 'unlisted' | 'unread';

/** What becomes of the rows of a voice. */
export type VoiceNext =
  | { readonly type: 'use' }
  | { readonly type: 'look-again'; readonly pauseMs: number }
  /** It takes too long. */
  | { readonly type: 'give-up' };

/** `waitedMs`: since the voice was first awaited. */
export function nextForVoice(seen: VoiceSeen, waitedMs: number): VoiceNext {
  if (seen === 'ready' || seen === 'unlisted') return { type: 'use' };
  if (seen === 'unread' && waitedMs >= LONGEST_SILENCE_MS) return { type: 'use' };
  if (waitedMs >= LONGEST_TRAINING_MS) return { type: 'give-up' };
  const pauseMs = Math.min(LAST_PAUSE_MS, Math.max(FIRST_PAUSE_MS, Math.round(waitedMs * PAUSE_SHARE)));
  return { type: 'look-again', pauseMs };
}

/** Whether a row that has ended goes on by itself with one of these rows, which make voices. The ledger opens it with that row. */
export function goesOnWith(
  { voiceRow, failure }: { readonly voiceRow: number | null; readonly failure: { readonly class: string } | null },
  makers: ReadonlySet<number>,
): boolean {
  return voiceRow !== null && makers.has(voiceRow) && failure?.class === 'NoVoice';
}
