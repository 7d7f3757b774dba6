import { rm } from 'node:fs/promises';
import { measureLoudness, type Loudness } from './measure-loudness.ts';

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
  readonly limits: { readonly program: string; readonly mostSeconds?: number };
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
