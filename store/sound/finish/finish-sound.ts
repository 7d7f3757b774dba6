import { Readable, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { encoderOf, type Encoder } from '../encoders.ts';
import { fileArgument, FfmpegFailed, runFfmpeg } from '../ffmpeg.ts';
import { addChapters, metadataOf } from '../join/add-chapters.ts';
import type { Chapter } from '../join/join-request.ts';
import { probeSound } from '../probe-sound.ts';
import { measureLoudness } from './measure-loudness.ts';
import { reachLoudness } from './reach-loudness.ts';
import { soundSpan, within, type Span } from './sound-span.ts';
import { readCues } from './wav-cues.ts';

/** How a file is finished. */
export interface Finishing {
  /** Integrated loudness in LUFS (EBU R 128). Default: as it came. */
  readonly loudness?: number;
  /** Whether silence at both ends is taken off. Default false. */
  readonly trimSilence?: boolean;
  /** Samples a second. Default: as it came; 48,000 if the type does not take that. */
  readonly sampleRate?: number;
  /** Extension of the finished file. Default: that of the original. */
  readonly format?: string;
}

/** A file to finish. */
export interface FinishingRequest {
  /** Absolute. */
  readonly path: string;
  /** Its type, without a dot. */
  readonly extension: string;
  /** How long it plays, if known: this bounds how long ffmpeg may take. */
  readonly seconds?: number | undefined;
  readonly finishing: Finishing;
  /** Absolute path of the new file; there must be none. */
  readonly out: string;
  /** Absolute path of ffmpeg. */
  readonly program: string;
}

/** What came of it. */
export interface FinishedSound {
  /** Integrated loudness in LUFS, before and after; absent if none was asked for. */
  readonly loudness?: { readonly before: number; readonly after: number };
}

/** CPU seconds that every run may take, and as many again as the file plays. */
const LEAST_SECONDS = 60;

/** Type of the finished file, without a dot: what was asked for, otherwise that of the original. */
export function finishedExtension({ format }: Finishing, extension: string): string {
  return format ?? encoderOf(extension)?.extension ?? extension;
}

/** Files with these names are of the type that another name is known for. */
const CONTAINERS: Readonly<Record<string, string>> = { opus: 'ogg', m4b: 'm4a' };

/** Type of a finished file with this extension, as files are checked and written. */
export function containerOf(extension: string): string {
  return CONTAINERS[extension] ?? extension;
}

/**
 * Makes a copy of a sound file that is as loud, as long, and of the rate and type that were asked for. The same file
 * and the same ffmpeg give the same bytes. Chapters and titles stay where both types have them. Throws `FfmpegFailed`;
 * what was written by then is left to the caller.
 */
export async function finishSound(request: FinishingRequest): Promise<FinishedSound> {
  const { path, extension, seconds, finishing, out, program } = request;
  const limits = { program, ...(seconds === undefined ? {} : { mostSeconds: LEAST_SECONDS + Math.ceil(seconds) }) };
  const encoder = requireEncoder(finishing, extension);
  const { loudness: target } = finishing;
  const before = target === undefined ? undefined : await measureLoudness(path, limits);
  const span = finishing.trimSilence === true ? await soundSpan(path, program) : undefined;
  const rate = await finishedRate(request, encoder);
  const chapters = extension === 'wav' ? await readCues(path) : [];
  const write = async (...filter: readonly string[]): Promise<void> => {
    const given = encoder.muxer === null ? undefined : listOf(chapters);
    const args = ['-i', fileArgument(path), ...(given?.args ?? []), '-map', '0:a:0', ...filter, ...argsOf(span)];
    const all = [...args, '-ar', String(rate), ...encoder.args, fileArgument(out)];
    await runFfmpeg({ ...limits, args: all, ...(given === undefined ? {} : { onInput: given.onInput }) });
    if (encoder.muxer === null) await addChapters(within(chapters, span), { path: out, muxer: null, rate, program });
  };
  if (target === undefined || before === undefined) {
    await write();
    return {};
  }
  const after = await reachLoudness({ target, before, write: (filter) => write('-af', filter), out, limits });
  return { loudness: { before: before.integrated, after: after.integrated } };
}

/** As options of the output, so that chapters move with it. */
function argsOf(span: Span | undefined): readonly string[] {
  return span === undefined ? [] : ['-ss', span.start.toFixed(3), '-t', (span.end - span.start).toFixed(3)];
}

/** A second input with chapters that ffmpeg does not find in the first one; undefined if there are none. */
function listOf(
  chapters: readonly Chapter[],
): { readonly args: readonly string[]; readonly onInput: (input: Writable) => Promise<void> } | undefined {
  if (chapters.length === 0) return undefined;
  return {
    args: ['-f', 'ffmetadata', '-i', 'pipe:0', '-map_chapters', '1'],
    onInput: async (input) => pipeline(Readable.from([metadataOf(chapters)]), input),
  };
}

function requireEncoder(finishing: Finishing, extension: string): Encoder {
  const encoder = encoderOf(containerOf(finishedExtension(finishing, extension)));
  if (encoder === undefined)
    throw new FfmpegFailed(`a ${extension} file cannot be written: name another --sound-format`);
  return encoder;
}

/** The rate to write; that of the original if it stays, for the loudness filter changes it. */
async function finishedRate({ path, finishing, program }: FinishingRequest, encoder: Encoder): Promise<number> {
  const wanted = finishing.sampleRate ?? (await probeSound(path, program)).rate;
  // Opus is coded at a few rates only, and the highest of them is what its files are decoded at.
  return encoder.args.includes('libopus') && 48_000 % wanted !== 0 ? 48_000 : wanted;
}
