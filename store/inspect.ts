import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';
import { TextDecoder } from 'node:util';
import { checkBoxes, checkIndex, checkSegment } from './containers/check-index.ts';
import { checkMp3 } from './containers/check-mp3.ts';
import { checkTracks } from './containers/check-tracks.ts';
import { checkRaw, checkWav } from './containers/check-wav.ts';
import { FileWindow } from './containers/file-window.ts';
import { HEAD_BYTES, sniff } from './sniff.ts';
import type { Expectation, StoredFile } from './store.ts';
import { MAX_SECONDS, CompleteButUnfit, type Container, type Unfitness, UnfitBody } from './unfit.ts';

/**
 * Inspects a received body: its hash, its type, and whether it is complete. Throws {@link UnfitBody} for one that is
 * cut off or no result at all.
 *
 * @param unread why its content must not be examined: an earlier check of it hung or crashed. Default: it is examined
 */
export async function inspect(
  file: FileWindow,
  expectation: Expectation,
  unread?: Unfitness,
): Promise<Omit<StoredFile, 'key'>> {
  const { family } = expectation;
  const { extension, unfit } = sniff(await file.read(0, HEAD_BYTES), expectation);
  const sha256 = await hashOf(file, family === 'text');
  if (family === 'text') return { bytes: file.bytes, sha256, extension };
  if (unread !== undefined) return { bytes: file.bytes, sha256, extension, unfit: unread };
  // Audio sent instead of a video is checked as audio.
  const checked = await checkMedia(file, extension, unfit === 'sound rather than a video' ? 'audio' : family);
  return { bytes: file.bytes, sha256, extension, ...checked, ...(unfit === undefined ? {} : { unfit }) };
}

/** Hashes a file: sha256 in hex. Throws {@link UnfitBody} for text that is not UTF-8. */
export async function hashOf(file: FileWindow, isText: boolean): Promise<string> {
  const hash = createHash('sha256');
  const decoder = isText ? new TextDecoder('utf-8', { fatal: true }) : undefined;
  for await (const piece of file.pieces()) {
    hash.update(piece);
    decode(decoder, piece, true);
  }
  decode(decoder, Buffer.alloc(0), false);
  return hash.digest('hex');
}

/** @param stream whether more bytes follow: a character may span two chunks */
function decode(decoder: TextDecoder | undefined, piece: Buffer, stream: boolean): void {
  try {
    decoder?.decode(piece, { stream });
  } catch {
    throw new UnfitBody('Expected text, but the body is not UTF-8.');
  }
}

/**
 * Checks one aspect of a container. Returns the duration in seconds; undefined if this check does not measure it.
 * Throws {@link UnfitBody} or {@link CompleteButUnfit}.
 */
type Check = (container: Container) => Promise<number | undefined>;

/**
 * The checks for each container, by file extension. MP3 and WAV, the formats of speech, are walked by our own code:
 * demuxers for players silently skip damaged parts, which are what matters here. A library reads the others.
 */
const CHECKS: Readonly<Record<string, readonly Check[]>> = {
  mp3: [checkMp3],
  aac: [checkTracks],
  wav: [checkWav],
  ogg: [checkTracks],
  flac: [checkTracks],
  m4a: [checkBoxes, checkIndex, checkTracks],
  mp4: [checkBoxes, checkIndex, checkTracks],
  mov: [checkBoxes, checkIndex, checkTracks],
  webm: [checkSegment, checkTracks],
  mkv: [checkSegment, checkTracks],
  pcm: [checkRaw],
};

/**
 * Checks the content of a media file, not only its header. Throws {@link UnfitBody} if it is incomplete, such as after
 * a download without a declared length that ended early. Otherwise returns its duration in seconds, if that is known,
 * and why it is unfit, if it is: without the sound or picture that it needs, of no possible length, or silent
 * throughout, where that is visible without a decoder. Keeps little of the file in memory.
 */
export async function checkMedia(
  file: FileWindow,
  extension: string,
  family: 'audio' | 'video',
): Promise<Pick<StoredFile, 'seconds' | 'unfit'>> {
  try {
    let seconds: number | undefined;
    for (const check of CHECKS[extension] ?? []) seconds = (await check({ file, extension, family })) ?? seconds;
    return seconds === undefined || isPossible(seconds) ? rounded(seconds) : { unfit: 'of no possible length' };
  } catch (error) {
    if (!(error instanceof CompleteButUnfit)) throw error;
    return { ...rounded(error.seconds), unfit: error.unfit };
  }
}

/** Whether a declared length is plausible. */
function isPossible(seconds: number): boolean {
  return seconds >= 0 && seconds <= MAX_SECONDS;
}

/** Rounds a duration to milliseconds; leaves out an unknown or impossible one. */
function rounded(seconds: number | undefined): Pick<StoredFile, 'seconds'> {
  return seconds === undefined || !isPossible(seconds) ? {} : { seconds: Math.round(seconds * 1_000) / 1_000 };
}

/**
 * Measures the duration of a file in seconds, if it was never recorded. Undefined if the file is missing, incomplete,
 * or of a type without a duration. Throws if the disk fails.
 */
export async function mediaSeconds(path: string, extension: string): Promise<number | undefined> {
  const file = await open(path, 'r').catch((error: unknown) => {
    if (['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return undefined;
    throw error;
  });
  if (file === undefined) return undefined;
  try {
    const { seconds } = await checkMedia(FileWindow.ofFile(file, (await file.stat()).size), extension, 'audio');
    return seconds;
  } catch (error) {
    if (error instanceof UnfitBody) return undefined;
    throw error;
  } finally {
    await file.close();
  }
}
