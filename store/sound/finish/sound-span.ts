import { decodedLevels } from '../decoded-levels.ts';
import { FfmpegFailed } from '../ffmpeg.ts';
import type { Chapter } from '../join/join-request.ts';
import type { Levels } from '../levels.ts';

/** A part of a file, in seconds from its start. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** Silence left at both ends where it is trimmed, in seconds: the softest start of a word is part of it. */
const MARGIN_SECONDS = 0.05;
/** Peak of speech that is recorded well; 1 is full scale. */
const USUAL_PEAK = 0.5;

/** The part between silence at the start and at the end. Throws `FfmpegFailed`, also for a file that is silent. */
export async function soundSpan(path: string, program: string): Promise<Span> {
  const { seconds, leadingSilence, trailingSilence } = await audibleLevels(path, program);
  if (leadingSilence >= seconds) throw new FfmpegFailed('nothing would be left of it, for it is silent');
  const start = Math.max(0, leadingSilence - MARGIN_SECONDS);
  const end = Math.min(seconds, seconds - trailingSilence + MARGIN_SECONDS);
  return { start, end };
}

/** The chapters that are left of a file of which only this part is kept. Default: all of it is. */
export function within(chapters: readonly Chapter[], span: Span | undefined): readonly Chapter[] {
  if (span === undefined) return chapters;
  const [start, end] = [span.start * 1_000, span.end * 1_000];
  const moved = (ms: number): number => Math.round(Math.min(Math.max(ms, start), end) - start);
  return chapters
    .filter(({ startMs, endMs }) => endMs > start && startMs < end)
    .map(({ title, startMs, endMs }) => ({ title, startMs: moved(startMs), endMs: moved(endMs) }));
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
