import { decodedLevels } from '../decoded-levels.ts';
import { encoderOf, type Encoder } from '../encoders.ts';
import { fileArgument, FfmpegFailed, runFfmpeg } from '../ffmpeg.ts';
import type { Levels } from '../levels.ts';
import { probeSound } from '../probe-sound.ts';
import { measureLoudness } from './measure-loudness.ts';
import { reachLoudness } from './reach-loudness.ts';

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

/** Silence left at both ends where it is trimmed, in seconds: the softest start of a word is part of it. */
const MARGIN_SECONDS = 0.05;
/** Peak of speech that is recorded well; 1 is full scale. */
const USUAL_PEAK = 0.5;
/** CPU seconds that every run may take, and as many again as the file plays. */
const LEAST_SECONDS = 60;

/** Type of the finished file, without a dot: what was asked for, otherwise that of the original. */
export function finishedExtension({ format }: Finishing, extension: string): string {
  return format ?? encoderOf(extension)?.extension ?? extension;
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
  const span = finishing.trimSilence === true ? await soundSpan(request) : [];
  const rate = await finishedRate(request, encoder);
  const write = async (...filter: readonly string[]): Promise<void> => {
    const args = ['-i', fileArgument(path), '-map', '0:a:0', ...filter, ...span, '-ar', String(rate), ...encoder.args];
    await runFfmpeg({ ...limits, args: [...args, fileArgument(out)] });
  };
  if (target === undefined || before === undefined) {
    await write();
    return {};
  }
  const after = await reachLoudness({ target, before, write: (filter) => write('-af', filter), out, limits });
  return { loudness: { before: before.integrated, after: after.integrated } };
}

function requireEncoder(finishing: Finishing, extension: string): Encoder {
  // ffmpeg's container for Opus is Ogg.
  const encoder = encoderOf(finishing.format === 'opus' ? 'ogg' : finishedExtension(finishing, extension));
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

/** The part between silence at the start and at the end. As options of the output, so that chapters move with it. */
async function soundSpan({ path, program }: FinishingRequest): Promise<readonly string[]> {
  const { seconds, leadingSilence, trailingSilence } = await audibleLevels(path, program);
  if (leadingSilence >= seconds) throw new FfmpegFailed('nothing would be left of it, for it is silent');
  const start = Math.max(0, leadingSilence - MARGIN_SECONDS);
  const end = Math.min(seconds, seconds - trailingSilence + MARGIN_SECONDS);
  return ['-ss', start.toFixed(3), '-t', (end - start).toFixed(3)];
}

/** Where a file is silent, if it were as loud as speech usually is: in a soft file, speech may be below -50 dB. */
async function audibleLevels(path: string, program: string): Promise<Levels> {
  const hear = async (gain?: number): Promise<Levels> => {
    const hearing = await decodedLevels(path, program, gain);
    if (hearing.type === 'unread') throw new FfmpegFailed(hearing.why);
    return hearing.levels;
  };
  const levels = await hear();
  const { peak } = levels;
  return peak === null || peak === 0 || peak >= USUAL_PEAK ? levels : hear(USUAL_PEAK / peak);
}
