import { fileArgument, FfmpegFailed, runFfmpeg } from '../ffmpeg.ts';

/** What ffmpeg measures by EBU R 128: integrated loudness (LUFS), true peak (dBTP), range (LU), gate (LUFS), and an offset (LU). */
const FIGURES = ['input_i', 'input_tp', 'input_lra', 'input_thresh', 'target_offset'] as const;

type Loudness = Readonly<Record<(typeof FIGURES)[number], number>>;

/** Highest true peak of a finished file, dBTP: the usual one for files that are encoded, which adds up to 1 dB. */
const MOST_PEAK = -1.5;
/** The widest range of loudness that every ffmpeg takes, LU: speech has less, so that its own stays as it is. */
const MOST_RANGE = 20;

/**
 * Measures the loudness of a file, for this target in LUFS. Throws `FfmpegFailed`, also for a file whose loudness cannot
 * be measured.
 */
export async function measureLoudness(
  path: string,
  target: number,
  run: { readonly program: string; readonly mostSeconds?: number },
): Promise<Loudness> {
  const filter = `${targetOf(target)}:print_format=json`;
  // It is told on the error output, as the last thing, and only at this level.
  const args = ['-loglevel', 'info', '-nostats', '-i', fileArgument(path), '-map', '0:a:0', '-af', filter];
  const words = await runFfmpeg({ ...run, args: [...args, '-f', 'null', '-'] });
  const figureOf = (name: string): number => Number(new RegExp(`"${name}" : "([^"]*)"`, 'u').exec(words)?.[1]);
  const figures = FIGURES.map((name) => [name, figureOf(name)] as const);
  if (!figures.every(([, figure]) => Number.isFinite(figure))) {
    throw new FfmpegFailed('its loudness cannot be measured, for it is silent or shorter than 0.4 s');
  }
  return Object.fromEntries(figures) as Loudness;
}

/** The filter that brings a measured file to the target: by one gain where the peaks allow it, by a limiter otherwise. */
export function loudnessFilter(target: number, measured: Loudness): string {
  const { input_i: i, input_tp: tp, input_lra: lra, input_thresh: thresh, target_offset: offset } = measured;
  const known = `measured_I=${i}:measured_TP=${tp}:measured_LRA=${lra}:measured_thresh=${thresh}:offset=${offset}`;
  return `${targetOf(target)}:${known}:linear=true`;
}

function targetOf(target: number): string {
  return `loudnorm=I=${target}:TP=${MOST_PEAK}:LRA=${MOST_RANGE}`;
}
