import { fileArgument, FfmpegFailed, runFfmpeg } from '../ffmpeg.ts';

/** How loud a file is, by EBU R 128. */
export interface Loudness {
  /** Integrated, LUFS, to 0.1. */
  readonly integrated: number;
  /** True peak, dBTP, to 0.1. */
  readonly peak: number;
}

type Run = { readonly program: string; readonly mostSeconds?: number };

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
