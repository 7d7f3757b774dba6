import { hashOf } from '../draw.ts';

/** Characters that the simulated voices speak in a second. */
const CHARACTERS_PER_SECOND = 15;

/** Length of the speech for a text, in seconds; at least half a second. */
export function speechSeconds(text: string): number {
  return Math.max(0.5, Array.from(text).length / CHARACTERS_PER_SECOND);
}

/** Length of one note in seconds: ten MP3 frames. */
export const NOTE_SECONDS = 0.24;

/** Distance between two MDCT lines of MPEG-1 Layer III at 48 kHz, in Hz. */
export const LINE_HZ = 24_000 / 576;

/**
 * The notes of a text, as MDCT lines 6 to 25 (about 270 to 1,060 Hz): each text has its own melody, so that files can
 * be told apart by content.
 */
export function melodyOf(key: string, seconds: number): number[] {
  const count = Math.ceil(seconds / NOTE_SECONDS) + 1;
  return Array.from({ length: count }, (_, index) => 6 + (hashOf(key, index) % 20));
}
