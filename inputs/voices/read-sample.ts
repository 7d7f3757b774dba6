import { createHash } from 'node:crypto';
import type { LocalFile } from '../../contract/row-kinds.ts';

/** A recording, or a short reason why a file cannot be used as one. */
export type Sample = LocalFile | { readonly why: string };

/**
 * The formats that the API's public documents name for recordings: their name in the library, and the extension sent.
 */
const FORMATS = [
  ['WAVE', 'wav'],
  ['MP3', 'mp3'],
  ['MP4', 'm4a'],
  ['OGG', 'ogg'],
  ['FLAC', 'flac'],
] as const;

/** The formats, for messages. */
export const SAMPLE_FORMATS = FORMATS.map(([, extension]) => extension).join(', ');

/**
 * Reads a recording. Never throws, but a malicious file may hang it or exhaust memory, so it runs in the media thread.
 */
export async function readSample(path: string, content: Uint8Array): Promise<Sample> {
  // Loaded lazily: 1.5 MB of code that only manifests with recordings need.
  const library = await import('mediabunny');
  const formats = FORMATS.map(([format]) => library[format]);
  const input = new library.Input({ formats, source: new library.BufferSource(content) });
  try {
    const format = await input.getFormat();
    const extension = FORMATS.find(([one]) => library[one] === format)?.[1] ?? '';
    const track = await input.getPrimaryAudioTrack();
    if (track === null) return { why: `a file without sound (${extension})` };
    const seconds = (await input.getDurationFromMetadata()) ?? (await input.computeDuration());
    if (!Number.isFinite(seconds) || seconds <= 0) return { why: `a recording without any length (${extension})` };
    const sha256 = createHash('sha256').update(content).digest('hex');
    return { path, bytes: content.length, sha256, extension, seconds };
  } catch {
    // The caller names the formats before it.
    return { why: 'a file whose content is none of these' };
  } finally {
    input.dispose();
  }
}
