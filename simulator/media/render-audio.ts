import { encodeMp3 } from './encode-mp3.ts';
import { encodePcm, encodeWav } from './encode-wav.ts';
import { melodyOf } from './melody.ts';

/** Formats of speech that the service makes. */
export const AUDIO_FORMATS = ['mp3', 'wav', 'pcm'] as const;
/** A value of the request field `format`. */
export type AudioFormat = (typeof AUDIO_FORMATS)[number];

/**
 * Makes audio of a given length with a melody derived from the key, or digital silence if null. `pcm` is 16-bit mono at
 * 16 kHz without a header.
 */
export function renderAudio(format: AudioFormat, key: string | null, seconds: number): Buffer {
  const melody = key === null ? null : melodyOf(key, seconds);
  switch (format) {
    case 'mp3':
      return encodeMp3(melody, seconds);
    case 'wav':
      return encodeWav(melody, seconds);
    case 'pcm':
      return encodePcm(melody, seconds);
  }
}
