import type { Readable } from 'node:stream';
import { FileWindow } from '../containers/file-window.ts';
import { findWavSound } from '../containers/wav-sound.ts';
import { fileArgument, FfmpegFailed, runFfmpeg } from './ffmpeg.ts';

/** Rate and channels of sound. */
export interface SoundFormat {
  /** Samples a second, of each channel. */
  readonly rate: number;
  readonly channels: number;
}

/** Finds out rate and channels of a file's sound. Throws `FfmpegFailed`, also for a file without sound. */
export async function probeSound(path: string, program: string): Promise<SoundFormat> {
  const pieces: Buffer[] = [];
  // The header of a few decoded samples says it for every type alike.
  const args = ['-i', fileArgument(path), '-map', '0:a:0', '-t', '0.01', '-c:a', 'pcm_s16le', '-bitexact'];
  await runFfmpeg({
    program,
    args: [...args, '-f', 'wav', 'pipe:1'],
    onOutput: async (output: Readable) => {
      for await (const piece of output as AsyncIterable<Buffer>) pieces.push(piece);
    },
  });
  const format = (await findWavSound(FileWindow.ofBody(Buffer.concat(pieces))))?.format;
  if (format === undefined) throw new FfmpegFailed(`ffmpeg found no sound in ${path}`);
  return { rate: format.rate, channels: format.channels };
}
