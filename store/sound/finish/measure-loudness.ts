import { fileArgument, FfmpegFailed, runFfmpeg } from '../ffmpeg.ts';

/** How loud a file is, by EBU R 128. */
export interface Loudness {
  /** Integrated, LUFS. */
  readonly integrated: number;
  /** True peak, dBTP. */
  readonly peak: number;
}

/** Measures the loudness of a file. Throws `FfmpegFailed`, also for a file whose loudness cannot be measured. */
export async function measureLoudness(
  path: string,
  run: { readonly program: string; readonly mostSeconds?: number },
): Promise<Loudness> {
  // It is told on the error output, as the last thing, and only at this level.
  const args = ['-loglevel', 'info', '-nostats', '-i', fileArgument(path), '-map', '0:a:0'];
  const words = await runFfmpeg({ ...run, args: [...args, '-af', 'loudnorm=print_format=json', '-f', 'null', '-'] });
  const figureOf = (name: string): number => Number(new RegExp(`"${name}" : "([^"]*)"`, 'u').exec(words)?.[1]);
  const [integrated, peak] = [figureOf('input_i'), figureOf('input_tp')];
  if (!Number.isFinite(integrated) || !Number.isFinite(peak))
    throw new FfmpegFailed('its loudness cannot be measured, for it is silent or shorter than 0.4 s');
  return { integrated, peak };
}
