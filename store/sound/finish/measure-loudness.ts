import { fileArgument, FfmpegFailed, runFfmpeg } from '../ffmpeg.ts';

/** How loud a file is, by EBU R 128. */
export interface Loudness {
  /** Integrated, LUFS. */
  readonly integrated: number;
  /** True peak, dBTP. */
  readonly peak: number;
}

type Run = { readonly program: string; readonly mostSeconds?: number };

/** EBU R 128 measures blocks of 0.4 s: a shorter sound is heard ten times in a row. Samples of 0.4 s at the highest rate. */
const REPEATED = 'aloop=loop=9:size=76800,';

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

async function measure(path: string, filter: string, run: Run): Promise<Loudness> {
  // It is told on the error output, as the last thing, and only at this level.
  const args = ['-loglevel', 'info', '-nostats', '-i', fileArgument(path), '-map', '0:a:0'];
  const all = [...args, '-af', `${filter}loudnorm=print_format=json`, '-f', 'null', '-'];
  const words = await runFfmpeg({ ...run, args: all });
  const figureOf = (name: string): number => Number(new RegExp(`"${name}" : "([^"]*)"`, 'u').exec(words)?.[1]);
  return { integrated: figureOf('input_i'), peak: figureOf('input_tp') };
}
