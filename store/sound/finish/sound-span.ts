import type { Readable } from 'node:stream';
import { FileWindow } from '../../containers/file-window.ts';
import { findWavSound } from '../../containers/wav-sound.ts';
import type { Chapter } from '../join/join-parts.ts';
import { fileArgument, FfmpegFailed, runFfmpeg } from '../ffmpeg.ts';
import { SampleMeter, type Levels } from '../sample-meter.ts';

/** A part of a file, in seconds from its start. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** Silence kept at both ends when trimming, in seconds, because it may hold the soft start of a word. */
const MARGIN_SECONDS = 0.05;
/** Usual peak of well recorded speech; 1 is full scale. */
const USUAL_PEAK = 0.5;
/** Max bytes until the header of the decoded audio must be complete. */
const MAX_HEADER_BYTES = 64 * 1024;

/** Finds the part between leading and trailing silence. Throws `FfmpegFailed`, also for a silent file. */
export async function soundSpan(path: string, program: string): Promise<Span> {
  const { seconds, leadingSilence, trailingSilence } = await audibleLevels(path, program);
  if (leadingSilence >= seconds) throw new FfmpegFailed('nothing would be left of it, for it is silent');
  const start = Math.max(0, leadingSilence - MARGIN_SECONDS);
  const end = Math.min(seconds, seconds - trailingSilence + MARGIN_SECONDS);
  return { start, end };
}

/** Returns the chapters that remain if only this span of a file is kept, with their new times. Undefined keeps all. */
export function chaptersWithin(chapters: readonly Chapter[], span: Span | undefined): readonly Chapter[] {
  if (span === undefined) return chapters;
  const [start, end] = [span.start * 1_000, span.end * 1_000];
  const moved = (ms: number): number => Math.round(Math.min(Math.max(ms, start), end) - start);
  return chapters
    .filter(({ startMs, endMs }) => endMs > start && startMs < end)
    .map(({ title, startMs, endMs }) => ({ title, startMs: moved(startMs), endMs: moved(endMs) }));
}

/** Measures a file's silence as if it had the usual loudness of speech: in a soft file, speech may be below -50 dB. */
async function audibleLevels(path: string, program: string): Promise<Levels> {
  const levels = await decodedLevels(path, program);
  const { peak } = levels;
  return peak === 0 || peak >= USUAL_PEAK ? levels : decodedLevels(path, program, USUAL_PEAK / peak);
}

/**
 * Measures a file's audio while ffmpeg decodes it to floating point, without buffering. `gain` is a factor for each
 * sample. Throws `FfmpegFailed`.
 */
async function decodedLevels(path: string, program: string, gain = 1): Promise<Levels> {
  const meters: SampleMeter[] = [];
  const filter = gain === 1 ? [] : ['-af', `volume=${gain.toFixed(3)}:precision=float`];
  const input = ['-i', fileArgument(path), '-map', '0:a:0'];
  const args = [...input, ...filter, '-c:a', 'pcm_f32le', '-bitexact', '-f', 'wav', 'pipe:1'];
  await runFfmpeg({ program, args, onOutput: async (output) => measure(output, meters) });
  const levels = meters[0]?.end();
  if (levels === undefined) throw new FfmpegFailed('ffmpeg found no sound');
  return levels;
}

/** Feeds a WAV stream to a meter, which it adds to `meters` once the header is complete. */
async function measure(output: Readable, meters: SampleMeter[]): Promise<void> {
  let head = Buffer.alloc(0);
  for await (const piece of output as AsyncIterable<Buffer>) {
    const [meter] = meters;
    if (meter !== undefined) {
      meter.add(piece);
      continue;
    }
    if (head.length < MAX_HEADER_BYTES) head = Buffer.concat([head, piece]);
    const sound = await findWavSound(FileWindow.ofBody(head));
    const begun = sound?.format === undefined ? undefined : SampleMeter.of(sound.format);
    if (sound === undefined || begun === undefined) continue;
    begun.add(head.subarray(sound.start));
    meters.push(begun);
  }
}
