import { open } from 'node:fs/promises';
import { FileWindow } from '../containers/file-window.ts';
import { findWavSound } from '../containers/wav-sound.ts';
import { UnfitBody } from '../store.ts';
import { decodedLevels } from './decoded-levels.ts';
import { FfmpegFailed } from './ffmpeg.ts';
import { type Hearing, SILENCE_RMS, Silences } from './levels.ts';
import { SampleMeter } from './sample-meter.ts';
import { eachFrame } from '../containers/frames.ts';
import { granulePowers } from '../containers/granule-power.ts';
import { readMpegFrame, type MpegHeader } from '../containers/mpeg-frame.ts';

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

/**
 * Where an MP3 file is silent, without decoding it. Each granule says how large its frequency lines can be at most
 * (their gain, the table of their codes, their number of bits), and so how loud it can be at most: what is below the
 * limit is silent, and what may be above it is not called silent. So it finds less silence than there is, never more.
 *
 * A loudness or a peak cannot be had without a decoder.
 */
export async function mp3Levels(file: FileWindow): Promise<Hearing> {
  const silences = new Silences();
  let first: MpegHeader | undefined;
  let before = 0;
  await eachFrame({ file, extension: 'mp3', family: 'audio' }, readMpegFrame, ({ head, frame }) => {
    if (frame.info !== undefined) return;
    const { header } = frame;
    first ??= header;
    const powers = granulePowers(head, header);
    for (const power of powers) {
      // A granule sounds on into the next one.
      silences.add(frame.seconds / powers.length, Math.max(power, before) <= SILENCE_RMS ** 2);
      before = power;
    }
  });
  if (first === undefined) return { type: 'unread', why: 'it has no sound' };
  const { rate, isMono } = first;
  const channels = isMono ? 1 : 2;
  const levels = { ...silences.end(), sampleRate: rate, channels, peak: null, rms: null, clippedShare: null };
  return { type: 'read', levels };
}
