import type { Readable } from 'node:stream';
import { FileWindow } from '../containers/file-window.ts';
import { findWavSound } from '../containers/wav-sound.ts';
import { fileArgument, runFfmpeg } from './ffmpeg.ts';
import type { Hearing } from './levels.ts';
import { SampleMeter } from './sample-meter.ts';

/** A header that is longer than this is none. */
const MOST_HEADER_BYTES = 64 * 1024;

/**
 * Reads a file's sound as ffmpeg decodes it, as it comes: nothing is kept. Sound above full scale is seen as clipped,
 * because it is decoded to fractions. Throws `FfmpegFailed`.
 *
 * @param gain what each sample is multiplied by
 */
export async function decodedLevels(path: string, program: string, gain = 1): Promise<Hearing> {
  const meters: SampleMeter[] = [];
  const filter = gain === 1 ? [] : ['-af', `volume=${gain.toFixed(3)}:precision=float`];
  const args = [
    '-i',
    fileArgument(path),
    '-map',
    '0:a:0',
    ...filter,
    '-c:a',
    'pcm_f32le',
    '-bitexact',
    '-f',
    'wav',
    'pipe:1',
  ];
  await runFfmpeg({ program, args, onOutput: async (output) => measure(output, meters) });
  const levels = meters[0]?.end();
  return levels === undefined ? { type: 'unread', why: 'ffmpeg found no sound' } : { type: 'read', levels };
}

async function measure(output: Readable, meters: SampleMeter[]): Promise<void> {
  let head = Buffer.alloc(0);
  for await (const piece of output as AsyncIterable<Buffer>) {
    const [meter] = meters;
    if (meter !== undefined) {
      meter.add(piece);
      continue;
    }
    if (head.length < MOST_HEADER_BYTES) head = Buffer.concat([head, piece]);
    const sound = await findWavSound(FileWindow.ofBody(head));
    const begun = sound?.format === undefined ? undefined : SampleMeter.of(sound.format);
    if (sound === undefined || begun === undefined) continue;
    begun.add(head.subarray(sound.start));
    meters.push(begun);
  }
}
