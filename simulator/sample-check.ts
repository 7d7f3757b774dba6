import { Refusal } from './refusals.ts';
import type { FormPart } from './routes/read-multipart.ts';

/* What the simulator takes as recordings of a voice. */

/** Largest recording, in bytes, and most recordings of a voice: what one client of the real service keeps to. */
const MOST_BYTES = 4_500_000;
const MOST_FILES = 5;

/** First bytes of the formats that the service takes: wav, mp3 (with and without tags), m4a, ogg, flac. */
const BEGINNINGS: readonly RegExp[] = [/^RIFF[^]{4}WAVE/, /^ID3/, /^\xFF[\xE2-\xFF]/, /^[^]{4}ftyp/, /^OggS/, /^fLaC/];

/** Throws the refusal of recordings that are too many, too large, or none. */
export function checkSamples(files: readonly FormPart[]): void {
  if (files.length > MOST_FILES) {
    throw new Refusal(400, 'ERR_TOO_MANY_FILES', `At most ${String(MOST_FILES)} audio files are allowed`);
  }
  for (const { data } of files) {
    if (data.length > MOST_BYTES) throw new Refusal(413, 'ERR_PAYLOAD_TOO_LARGE', 'An audio file is too large');
    const head = data.subarray(0, 12).toString('latin1');
    if (!BEGINNINGS.some((beginning) => beginning.test(head))) {
      throw new Refusal(400, 'ERR_INVALID_AUDIO', 'An audio file cannot be read');
    }
  }
}
