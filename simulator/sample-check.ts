import { Refusal } from './refusals.ts';
import type { FormPart } from './routes/read-multipart.ts';

/* The simulator's limits on voice recordings. */

/** Max bytes per recording, and max recordings per voice: the limits that one client of the real service observes. */
const MAX_BYTES = 4_500_000;
const MAX_FILES = 5;

/** First bytes of the supported formats: wav, mp3 (with and without tags), m4a, ogg, flac. */
const BEGINNINGS: readonly RegExp[] = [/^RIFF[^]{4}WAVE/, /^ID3/, /^\xFF[\xE2-\xFF]/, /^[^]{4}ftyp/, /^OggS/, /^fLaC/];

/** Refuses recordings that are too many, too large, or no audio. */
export function checkSamples(files: readonly FormPart[]): void {
  if (files.length > MAX_FILES) {
    throw new Refusal(400, 'ERR_TOO_MANY_FILES', `At most ${String(MAX_FILES)} audio files are allowed`);
  }
  for (const { data } of files) {
    if (data.length > MAX_BYTES) throw new Refusal(413, 'ERR_PAYLOAD_TOO_LARGE', 'An audio file is too large');
    const head = data.subarray(0, 12).toString('latin1');
    if (!BEGINNINGS.some((beginning) => beginning.test(head))) {
      throw new Refusal(400, 'ERR_INVALID_AUDIO', 'An audio file cannot be read');
    }
  }
}
