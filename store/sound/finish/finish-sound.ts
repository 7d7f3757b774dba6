import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Finishing } from '../../../contract/finishing.ts';
import { FileWindow } from '../../containers/file-window.ts';
import { findWavSound } from '../../containers/wav-sound.ts';
import { wavHeader } from '../join/join-wav.ts';
import { appendCues, metadataOf, readCues } from '../join/chapters.ts';
import { fileArgument, FfmpegFailed, runFfmpeg } from '../ffmpeg.ts';
import { measureLoudness, reachLoudness } from './reach-loudness.ts';
import { chaptersWithin, soundSpan } from './sound-span.ts';

/** The arguments of {@link finishSound}. */
interface FinishingRequest {
  /** Absolute. */
  readonly path: string;
  /** Its type, without a dot. */
  readonly extension: string;
  /** How long it plays, if known: this bounds how long ffmpeg may take. */
  readonly seconds?: number | undefined;
  /** The requested loudness, trimming, rate and type. */
  readonly finishing: Finishing;
  /** Absolute path of the new file; there must be none. */
  readonly out: string;
  /** Absolute path of ffmpeg. */
  readonly program: string;
}

/** How ffmpeg writes a type of file, the same bytes each time. */
interface Encoder {
  readonly args: readonly string[];
  readonly muxer: string;
  /** Whether ffmpeg can write chapters to this type. */
  readonly hasChapters: boolean;
}

/** By extension. */
const ENCODERS: Readonly<Record<string, Encoder>> = {
  mp3: { args: ['-c:a', 'libmp3lame', '-b:a', '128k'], muxer: 'mp3', hasChapters: true },
  wav: { args: ['-c:a', 'pcm_s16le'], muxer: 'wav', hasChapters: false },
  flac: { args: ['-c:a', 'flac'], muxer: 'flac', hasChapters: false },
  ogg: { args: ['-c:a', 'libopus', '-b:a', '64k'], muxer: 'ogg', hasChapters: true },
  webm: { args: ['-c:a', 'libopus', '-b:a', '64k'], muxer: 'webm', hasChapters: true },
  m4a: { args: ['-c:a', 'aac', '-b:a', '128k', '-movflags', '+faststart'], muxer: 'ipod', hasChapters: true },
  aac: { args: ['-c:a', 'aac', '-b:a', '128k'], muxer: 'adts', hasChapters: false },
};

/** Types whose audio is written to another type. */
const INSTEAD: Readonly<Record<string, string>> = { mp4: 'm4a', mov: 'm4a', mkv: 'm4a' };

/** Extensions that are aliases of another container type. */
const CONTAINERS: Readonly<Record<string, string>> = { opus: 'ogg', m4b: 'm4a' };

/** Base CPU seconds per run, in addition to the file's duration. */
const BASE_SECONDS = 60;

/** Returns the extension of the finished file, without a dot: the requested type, or else that of the original. */
export function finishedExtension({ format }: Finishing, extension: string): string {
  return format ?? INSTEAD[extension] ?? extension;
}

/** Returns the container of a file with this extension, which decides how the file is checked and written. */
export function containerOf(extension: string): string {
  return CONTAINERS[extension] ?? extension;
}

/**
 * Makes a copy of an audio file with the requested loudness, trimming, rate and type. The same file and the same ffmpeg
 * give the same bytes. Chapters and titles are kept if both types support them. Returns its integrated loudness in
 * LUFS, before and after; undefined if no loudness was requested. Throws `FfmpegFailed`; the caller cleans up partial
 * output.
 */
export async function finishSound(
  request: FinishingRequest,
): Promise<{ readonly before: number; readonly after: number } | undefined> {
  const { path, extension, seconds, finishing, out, program } = request;
  const limits = { program, ...(seconds === undefined ? {} : { maxSeconds: BASE_SECONDS + Math.ceil(seconds) }) };
  const encoder = ENCODERS[containerOf(finishedExtension(finishing, extension))];
  if (encoder === undefined)
    throw new FfmpegFailed(`a ${extension} file cannot be written: name another --sound-format`);
  const { loudness: target } = finishing;
  const before = target === undefined ? undefined : await measureLoudness(path, limits);
  const span = finishing.trimSilence === true ? await soundSpan(path, program) : undefined;
  const rate = await finishedRate(request, encoder);
  const chapters = extension === 'wav' ? await readCues(path) : [];
  const isGiven = encoder.hasChapters && chapters.length > 0;
  const write = async (...filter: readonly string[]): Promise<void> => {
    // A second input supplies chapters that ffmpeg does not find in the first.
    const given = isGiven ? ['-f', 'ffmetadata', '-i', 'pipe:0', '-map_chapters', '1'] : [];
    // Output options, so that chapters shift along.
    const cut = span && ['-ss', span.start.toFixed(3), '-t', (span.end - span.start).toFixed(3)];
    const args = ['-i', fileArgument(path), ...given, '-map', '0:a:0', ...filter, ...(cut ?? []), '-ar', String(rate)];
    const written = ['-vn', ...encoder.args, '-bitexact', '-f', encoder.muxer, fileArgument(out)];
    await runFfmpeg({
      ...limits,
      args: [...args, ...written],
      ...(isGiven ? { onInput: async (input) => pipeline(Readable.from([metadataOf(chapters)]), input) } : {}),
    });
    if (encoder.muxer === 'wav') await appendCues(out, chaptersWithin(chapters, span), rate);
  };
  if (target === undefined || before === undefined) {
    await write();
    return undefined;
  }
  const after = await reachLoudness({ target, before, write: (filter) => write('-af', filter), out, limits });
  return { before: before.integrated, after: after.integrated };
}

/**
 * Returns the output rate. Without a requested one it is the original's, because the loudness filter would change it.
 */
async function finishedRate({ path, finishing, program }: FinishingRequest, encoder: Encoder): Promise<number> {
  const wanted = finishing.sampleRate ?? (await rateOf(path, program));
  // Opus supports only a few rates, and its files are decoded at the highest of them.
  return encoder.args.includes('libopus') && 48_000 % wanted !== 0 ? 48_000 : wanted;
}

/** Reads the sample rate of a file from the header of a few decoded samples, which works for every type. */
async function rateOf(path: string, program: string): Promise<number> {
  const pieces: Buffer[] = [];
  const args = ['-i', fileArgument(path), '-map', '0:a:0', '-t', '0.01', '-c:a', 'pcm_s16le', '-bitexact'];
  await runFfmpeg({
    program,
    args: [...args, '-f', 'wav', 'pipe:1'],
    onOutput: async (output) => {
      for await (const piece of output as AsyncIterable<Buffer>) pieces.push(piece);
    },
  });
  const format = (await findWavSound(FileWindow.ofBody(Buffer.concat(pieces))))?.format;
  if (format === undefined) throw new FfmpegFailed(`ffmpeg found no sound in ${path}`);
  return format.rate;
}

/** Format of the test tone. */
const TONE = { coding: 1, channels: 1, rate: 24_000, block: 2, bits: 16 };

/**
 * Tests whether an ffmpeg can finish files like this, by finishing half a second of a tone: it may be too old, or built
 * without a filter or an encoder. Returns ffmpeg's message if it cannot; undefined if it can. Takes half a second.
 */
export async function tryFinishing(finishing: Finishing, program: string): Promise<string | undefined> {
  const folder = await mkdtemp(join(tmpdir(), 'voxbatch-try-'));
  try {
    const path = join(folder, 'tone.wav');
    const samples = Int16Array.from({ length: TONE.rate / 2 }, (_, at) => Math.round(3_000 * Math.sin(at / 8)));
    await writeFile(path, Buffer.concat([wavHeader(TONE, samples.byteLength, 0), Buffer.from(samples.buffer)]));
    await finishSound({ path, extension: 'wav', seconds: 1, finishing, out: join(folder, 'out'), program });
    return undefined;
  } catch (error) {
    if (!(error instanceof FfmpegFailed)) throw error;
    return error.message;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
