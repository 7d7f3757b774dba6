import { resultOf, type RowSpec } from '../contract/row-kinds.ts';

/**
 * About how many bytes the results of a row will take in the store, or null where nothing tells (media of unknown length).
 * It is meant for "does it fit on this disk", so the assumptions are on the large side; none of them is promised by the API:
 *
 * - Speech: 15 characters a second (150 English words a minute), CJK 4.5 a second, divided by `speed`.
 * - mp3 and other compressed formats: 128 kbit/s. wav and pcm: 16-bit mono at 44.1 kHz.
 * - Video: 8 Mbit/s, which public upload advice gives for 1080p at 30 pictures a second.
 * - A transcript: 20 bytes a second of speech for the text, and three times that again for `.srt` and `.vtt`.
 */
export function estimateBytes(spec: RowSpec): number | null {
  const { duration } = spec;
  switch (resultOf(spec.kind)) {
    case 'audio':
      return spokenSeconds(spec) * bytesPerSecond(spec.format ?? 'mp3');
    case 'transcript':
      return duration === undefined ? null : duration * TRANSCRIPT;
    case 'video':
      return duration === undefined ? null : duration * VIDEO;
  }
}

const COMPRESSED = 128_000 / 8;
const UNCOMPRESSED = 44_100 * 2;
const VIDEO = 8_000_000 / 8;
const TRANSCRIPT = 20 * 4;

function bytesPerSecond(format: string): number {
  return /^(?:wav|pcm)/i.test(format) ? UNCOMPRESSED : COMPRESSED;
}

function spokenSeconds({ text = '', speed = 1 }: RowSpec): number {
  const cjk = text.match(/[\u2E80-\u9FFF\uAC00-\uD7A3\uF900-\uFAFF]/g)?.length ?? 0;
  return ((text.length - cjk) / 15 + cjk / 4.5) / speed;
}
