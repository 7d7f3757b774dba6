import { rm } from 'node:fs/promises';
import { fileArgument, FfmpegFailed, runFfmpeg, type FfmpegRun } from '../ffmpeg.ts';

/** Highest true peak of a finished file, dBTP: the usual one for files that are encoded, which adds up to 1 dB. */
const MOST_PEAK = -1.5;
/** A measured peak may be so much higher, dB. */
const ROUNDING = 0.05;
/** The limiter stays so much below it, dB: going back to the rate of the copy raises peaks a little. */
const PEAK_MARGIN = 0.3;
/** A copy this near to the target is good, LU: an encoder takes up to 0.5 away. */
const TOLERANCE = 0.5;
/** Copies made at most: each corrects the one before, which an encoder or the limiter made softer. */
const MOST_COPIES = 4;
/** The limiter works at this rate, where the peaks between samples are seen. */
const LIMITER_RATE = 192_000;
/** How far it looks ahead, ms. Its sound comes so much later, which is taken back. */
const LOOK_AHEAD = 5;

/** Makes a copy of a measured file, for {@link reachLoudness}. */
interface LoudCopy {
  /** Integrated loudness to reach, LUFS. */
  readonly target: number;
  readonly before: Loudness;
  /** Writes the copy through this filter. */
  readonly write: (filter: string) => Promise<void>;
  /** Absolute path of the copy. */
  readonly out: string;
  readonly limits: Run;
}

/**
 * Makes a copy that is as loud as asked for, by one gain for the whole file, and measures it. Where a peak would be too
 * high, a limiter takes it down. Returns how loud the copy is. Throws `FfmpegFailed`.
 */
export async function reachLoudness({ target, before, write, out, limits }: LoudCopy): Promise<Loudness> {
  let gain = target - before.integrated;
  for (let left = MOST_COPIES; ; left -= 1) {
    await write(gainFilter(gain, before.peak));
    const after = await measureLoudness(out, limits);
    const lacking = target - after.integrated;
    if (Math.abs(lacking) <= TOLERANCE || left === 1) return after;
    gain += lacking;
    await rm(out);
  }
}

/** @param gain dB */
function gainFilter(gain: number, peak: number): string {
  const volume = `volume=${gain.toFixed(2)}dB`;
  if (peak + ROUNDING + gain <= MOST_PEAK) return volume;
  const late = (LIMITER_RATE * LOOK_AHEAD) / 1_000;
  const most = (10 ** ((MOST_PEAK - PEAK_MARGIN) / 20)).toFixed(4);
  const limiter = `alimiter=limit=${most}:attack=${LOOK_AHEAD}:release=50:level=disabled`;
  return `aresample=${LIMITER_RATE},${volume},apad=pad_len=${late},${limiter},atrim=start_sample=${late},asetpts=N/SR/TB`;
}

/** How loud a file is, by EBU R 128. */
export interface Loudness {
  /** Integrated, LUFS, to 0.1. */
  readonly integrated: number;
  /** True peak, dBTP, to 0.1. */
  readonly peak: number;
}

type Run = Pick<FfmpegRun, 'program' | 'mostSeconds'>;

/** EBU R 128 measures blocks of 0.4 s: a shorter sound is heard ten times in a row. Samples of 0.4 s at the highest rate. */
const REPEATED = 'aloop=loop=9:size=76800,';

/** LUFS of a sound in which no block is loud enough to be measured: softer ones do not count. */
const NOTHING = -70;

/**
 * Measures the loudness of a file, one shorter than 0.4 s included. Throws `FfmpegFailed`, also for a file whose loudness
 * cannot be measured, because it is silent.
 */
export async function measureLoudness(path: string, run: Run): Promise<Loudness> {
  const once = await measure(path, '', run);
  const { integrated, peak } = Number.isFinite(once.integrated) ? once : await measure(path, REPEATED, run);
  if (!Number.isFinite(integrated) || !Number.isFinite(peak))
    throw new FfmpegFailed('its loudness cannot be measured, for it is silent');
  return { integrated, peak };
}

/** `loudnorm` would tell hundredths, at five times the time. */
async function measure(path: string, filter: string, run: Run): Promise<Loudness> {
  // It is told on the error output, as the last thing, and only at this level; `framelog` keeps a line a moment out of it.
  const args = ['-loglevel', 'info', '-nostats', '-i', fileArgument(path), '-map', '0:a:0'];
  const all = [...args, '-af', `${filter}ebur128=peak=true:framelog=verbose`, '-f', 'null', '-'];
  const words = await runFfmpeg({ ...run, args: all });
  const figureOf = (name: string, unit: string): number =>
    Number(new RegExp(`^ +${name}: +(-?[\\d.]+) ${unit}`, 'mu').exec(words)?.[1]);
  const integrated = figureOf('I', 'LUFS');
  return { integrated: integrated <= NOTHING ? -Infinity : integrated, peak: figureOf('Peak', 'dBFS') };
}
