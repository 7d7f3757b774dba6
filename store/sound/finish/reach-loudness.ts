import { rm } from 'node:fs/promises';
import { fileArgument, FfmpegFailed, runFfmpeg, type FfmpegRun } from '../ffmpeg.ts';

/** Max true peak of a finished file in dBTP: the usual limit for encoded files, because encoding adds up to 1 dB. */
const MAX_PEAK = -1.5;
/** Tolerance for a measured peak, in dB. */
const ROUNDING = 0.05;
/** Headroom of the limiter below the max peak, in dB: resampling to the copy's rate raises peaks a little. */
const PEAK_MARGIN = 0.3;
/** Allowed deviation from the target, in LU: an encoder takes up to 0.5 away. */
const TOLERANCE = 0.5;
/** Max copies: each corrects the previous one, which an encoder or the limiter made softer. */
const MAX_COPIES = 4;
/** Sample rate of the limiter, high enough for it to see peaks between samples. */
const LIMITER_RATE = 192_000;
/** The limiter's look-ahead in ms. It delays the audio by as much, which is compensated. */
const LOOK_AHEAD = 5;

/** The arguments of {@link reachLoudness}. */
interface LoudCopy {
  /** Integrated loudness to reach, LUFS. */
  readonly target: number;
  /** Loudness of the original. */
  readonly before: Loudness;
  /** Writes the copy through this filter. */
  readonly write: (filter: string) => Promise<void>;
  /** Absolute path of the copy. */
  readonly out: string;
  readonly limits: Run;
}

/**
 * Makes a copy with the requested loudness, using one gain for the whole file, and measures it. A limiter reduces peaks
 * that would be too high. Returns the copy's loudness. Throws `FfmpegFailed`.
 */
export async function reachLoudness({ target, before, write, out, limits }: LoudCopy): Promise<Loudness> {
  let gain = target - before.integrated;
  for (let left = MAX_COPIES; ; left -= 1) {
    await write(gainFilter(gain, before.peak));
    const after = await measureLoudness(out, limits);
    const lacking = target - after.integrated;
    if (Math.abs(lacking) <= TOLERANCE || left === 1) return after;
    gain += lacking;
    await rm(out);
  }
}

/**
 * Returns ffmpeg's filter for a gain in dB, with a limiter if the peak (dBTP before the gain) would get too high. The
 * limiter delays the audio, so silence is appended, and as much is cut off at the start.
 */
function gainFilter(gain: number, peak: number): string {
  const volume = `volume=${gain.toFixed(2)}dB`;
  if (peak + ROUNDING + gain <= MAX_PEAK) return volume;
  const late = (LIMITER_RATE * LOOK_AHEAD) / 1_000;
  const limit = (10 ** ((MAX_PEAK - PEAK_MARGIN) / 20)).toFixed(4);
  const limiter = `alimiter=limit=${limit}:attack=${LOOK_AHEAD}:release=50:level=disabled`;
  return `aresample=${LIMITER_RATE},${volume},apad=pad_len=${late},${limiter},atrim=start_sample=${late},asetpts=N/SR/TB`;
}

/** How loud a file is, by EBU R 128. */
export interface Loudness {
  /** Integrated, LUFS, to 0.1. */
  readonly integrated: number;
  /** True peak, dBTP, to 0.1. */
  readonly peak: number;
}

/** Which ffmpeg to run, and for how long. */
type Run = Pick<FfmpegRun, 'program' | 'maxSeconds'>;

/**
 * EBU R 128 measures blocks of 0.4 s, so a shorter sound is repeated ten times. The size is 0.4 s in samples at the
 * highest rate.
 */
const REPEATED = 'aloop=loop=9:size=76800,';

/** LUFS that ffmpeg reports if no block is loud enough to be measured. */
const NOT_MEASURED = -70;

/**
 * Measures the loudness of a file, one shorter than 0.4 s included. Throws `FfmpegFailed`, also for a file whose
 * loudness cannot be measured, because it is silent.
 */
export async function measureLoudness(path: string, run: Run): Promise<Loudness> {
  const once = await measure(path, '', run);
  const { integrated, peak } = Number.isFinite(once.integrated) ? once : await measure(path, REPEATED, run);
  if (!Number.isFinite(integrated) || !Number.isFinite(peak))
    throw new FfmpegFailed('its loudness cannot be measured, for it is silent');
  return { integrated, peak };
}

/** Measures with `ebur128`; `loudnorm` would give hundredths, but takes five times as long. */
async function measure(path: string, filter: string, run: Run): Promise<Loudness> {
  // The result is the last line of the error output, and only at this log level; `framelog` suppresses a line per
  // frame.
  const args = ['-loglevel', 'info', '-nostats', '-i', fileArgument(path), '-map', '0:a:0'];
  const all = [...args, '-af', `${filter}ebur128=peak=true:framelog=verbose`, '-f', 'null', '-'];
  const words = await runFfmpeg({ ...run, args: all });
  const figureOf = (name: string, unit: string): number =>
    Number(new RegExp(`^ +${name}: +(-?[\\d.]+) ${unit}`, 'mu').exec(words)?.[1]);
  const integrated = figureOf('I', 'LUFS');
  return { integrated: integrated <= NOT_MEASURED ? -Infinity : integrated, peak: figureOf('Peak', 'dBFS') };
}
