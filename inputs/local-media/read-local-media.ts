import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { LocalFile } from '../../contract/row-kinds.ts';
import { stateOf } from '../read-in-folders.ts';

/** A job of the media thread: a file to read. */
export interface LocalMediaJob {
  /** Absolute, without symbolic links. */
  readonly path: string;
  readonly bytes: number;
}

/** A local file with media. */
export interface LocalMedia extends LocalFile {
  readonly hasVideo: boolean;
  readonly hasAudio: boolean;
}

/**
 * The supported containers: their name in the library, and the extension in links to such files. No playlists, because
 * they refer to further files.
 */
const FORMATS = [
  ['MP4', 'mp4'],
  ['QTFF', 'mov'],
  ['MATROSKA', 'mkv'],
  ['WEBM', 'webm'],
  ['WAVE', 'wav'],
  ['OGG', 'ogg'],
  ['FLAC', 'flac'],
  ['MP3', 'mp3'],
  ['ADTS', 'aac'],
  ['MPEG_TS', 'ts'],
] as const;

/** Bytes hashed at once. */
const CHUNK = 1024 * 1024;

/**
 * Reads a video or recording completely, in chunks. Never throws because of the file's content, but a malicious file
 * may hang it or exhaust memory, so it runs in the media thread. Throws system errors.
 */
export async function readLocalMedia({ path, bytes }: LocalMediaJob): Promise<LocalMedia | { readonly why: string }> {
  const before = stateOf(await stat(path, { bigint: true }));
  const media = await measure(path);
  if ('why' in media) return media;
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path, { highWaterMark: CHUNK })) hash.update(chunk as Buffer);
  if (stateOf(await stat(path, { bigint: true })) !== before) return { why: 'a file that changes while it is read' };
  return { path, bytes, sha256: hash.digest('hex'), ...media };
}

/** Finds the type, the duration and the kinds of tracks of a file. */
async function measure(
  path: string,
): Promise<Omit<LocalMedia, 'path' | 'bytes' | 'sha256'> | { readonly why: string }> {
  // Loaded lazily: 1.5 MB of code that only manifests with such files need.
  const library = await import('mediabunny');
  const formats = FORMATS.map(([format]) => library[format]);
  const input = new library.Input({ formats, source: new library.FilePathSource(path) });
  try {
    const format = await input.getFormat();
    const extension = FORMATS.find(([one]) => library[one] === format)?.[1] ?? 'bin';
    const hasVideo = (await input.getPrimaryVideoTrack()) !== null;
    const hasAudio = (await input.getPrimaryAudioTrack()) !== null;
    const seconds = (await input.getDurationFromMetadata()) ?? (await input.computeDuration());
    if (!Number.isFinite(seconds) || seconds <= 0) return { why: `media without any length (${extension})` };
    return { extension, seconds, hasVideo, hasAudio };
  } catch {
    return { why: `a file whose content is none of ${FORMATS.map(([, extension]) => extension).join(', ')}` };
  } finally {
    input.dispose();
  }
}
