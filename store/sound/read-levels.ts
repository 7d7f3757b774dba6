import { open } from 'node:fs/promises';
import { FileWindow } from '../containers/file-window.ts';
import { findWavSound } from '../containers/wav-sound.ts';
import { UnfitBody } from '../store.ts';
import { decodedLevels } from './decoded-levels.ts';
import { FfmpegFailed } from './ffmpeg.ts';
import type { Hearing } from './levels.ts';
import { mp3Levels } from './mp3-levels.ts';
import { SampleMeter } from './sample-meter.ts';

/** A media file whose sound is wanted. */
export interface SoundFile {
  /** Absolute. */
  readonly path: string;
  /** Its type, without a dot. */
  readonly extension: string;
  /**
   * Absolute path of ffmpeg, to decode everything but plain WAV. Default: of MP3 only the silence is known, and other
   * files are `unread`.
   */
  readonly ffmpeg?: string | undefined;
}

/** A media thread's job: to read the sound of a file of this many bytes. */
export interface LevelsJob {
  readonly type: 'levels';
  readonly file: SoundFile;
  readonly bytes: number;
}

/**
 * Reads how loud a file is and where it is silent. A file that cannot be read is `unread`, whatever the reason, unless
 * the disk fails: that throws. Keeps little of a file in memory.
 */
export async function levelsOf({ path, extension, ffmpeg }: SoundFile): Promise<Hearing> {
  if (ffmpeg !== undefined && extension !== 'wav') return decoded(path, ffmpeg);
  const file = await open(path, 'r');
  let native: Hearing | undefined;
  try {
    native = await nativeLevels(FileWindow.ofFile(file, (await file.stat()).size), extension);
  } finally {
    await file.close();
  }
  if (native !== undefined) return native;
  if (ffmpeg !== undefined) return decoded(path, ffmpeg);
  return { type: 'unread', why: `this ${extension} file cannot be read without ffmpeg` };
}

async function decoded(path: string, ffmpeg: string): Promise<Hearing> {
  try {
    return await decodedLevels(path, ffmpeg);
  } catch (error) {
    if (!(error instanceof FfmpegFailed)) throw error;
    return { type: 'unread', why: error.message };
  }
}

/**
 * The same without ffmpeg, also for a file in memory: WAV by its samples, MP3 by its frames, undecoded. Undefined for
 * anything else.
 */
async function nativeLevels(file: FileWindow, extension: string): Promise<Hearing | undefined> {
  try {
    if (extension === 'mp3') return await mp3Levels(file);
    return extension === 'wav' ? await wavLevels(file) : undefined;
  } catch (error) {
    if (!(error instanceof UnfitBody)) throw error;
    return { type: 'unread', why: error.message };
  }
}

/** Undefined for a coding other than plain samples. */
async function wavLevels(file: FileWindow): Promise<Hearing | undefined> {
  const sound = await findWavSound(file);
  if (sound?.format === undefined) return { type: 'unread', why: 'it does not say how its sound is coded' };
  const meter = SampleMeter.of(sound.format);
  if (meter === undefined) return undefined;
  const end = Math.min(file.bytes, sound.start + sound.bytes);
  for await (const piece of file.pieces(sound.start, end)) meter.add(piece);
  return { type: 'read', levels: meter.end() };
}
