import { checkBoxes, checkIndex } from './containers/check-index.ts';
import { checkFlac } from './containers/check-flac.ts';
import { checkAdts, checkMp3, checkSegment } from './containers/check-frames.ts';
import { checkOgg } from './containers/check-ogg.ts';
import { checkTracks } from './containers/check-tracks.ts';
import { checkRaw, checkWav } from './containers/check-wav.ts';
import { type Container } from './containers/container.ts';
import type { FileWindow } from './containers/file-window.ts';
import { MOST_SECONDS, WholeButUnfit, type Unfitness } from './unfit.ts';

/** Returns how long the file plays, in seconds; undefined if its content does not tell, or another check tells it. */
type Check = (container: Container) => Promise<number | undefined>;

/** What a whole file is. */
export interface Checked {
  /** How long it plays, in seconds, to the millisecond; omitted for raw audio and unknown containers. */
  readonly seconds?: number;
  /** What is wrong with it; omitted for a good one. */
  readonly unfit?: Unfitness;
}

/**
 * The checks for each container. Our own code walks MP3, ADTS, WAV, Ogg and FLAC, because a demuxer made for players silently
 * skips damaged parts, which are exactly what matters here. A library reads formats with index tables.
 */
const CHECKS: Readonly<Record<string, readonly Check[]>> = {
  mp3: [checkMp3],
  aac: [checkAdts],
  wav: [checkWav],
  ogg: [checkOgg],
  flac: [checkFlac],
  m4a: [checkBoxes, checkIndex, checkTracks],
  mp4: [checkBoxes, checkIndex, checkTracks],
  mov: [checkBoxes, checkIndex, checkTracks],
  webm: [checkSegment, checkTracks],
  mkv: [checkSegment, checkTracks],
  pcm: [checkRaw],
};

/**
 * Checks a media file against its own figures and content, not only its header: it must be whole, have a length, have
 * the picture and sound that it is for, and, where that is visible without a decoder, not be silent throughout. Finds
 * downloads that ended early without a declared length: throws `UnfitBody`.
 * Keeps little of a file in memory.
 */
export async function checkWhole(file: FileWindow, extension: string, family: 'audio' | 'video'): Promise<Checked> {
  try {
    let seconds: number | undefined;
    for (const check of CHECKS[extension] ?? []) seconds = (await check({ file, extension, family })) ?? seconds;
    return seconds === undefined || isPossible(seconds) ? lasting(seconds) : { unfit: 'of no possible length' };
  } catch (error) {
    if (!(error instanceof WholeButUnfit)) throw error;
    return { ...lasting(error.seconds), unfit: error.unfit };
  }
}

/** What a file says of itself is not always a length. */
function isPossible(seconds: number): boolean {
  return seconds >= 0 && seconds <= MOST_SECONDS;
}

function lasting(seconds: number | undefined): Pick<Checked, 'seconds'> {
  return seconds === undefined || !isPossible(seconds) ? {} : { seconds: Math.round(seconds * 1_000) / 1_000 };
}
