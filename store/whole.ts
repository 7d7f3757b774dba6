import { checkBoxes } from './containers/check-boxes.ts';
import { checkAdts, checkMp3 } from './containers/check-frames.ts';
import { checkOgg } from './containers/check-ogg.ts';
import { checkSegment } from './containers/check-segment.ts';
import { checkTracks } from './containers/check-tracks.ts';
import { checkRaw, checkWav } from './containers/check-wav.ts';
import { type Container } from './containers/container.ts';
import type { FileWindow } from './containers/file-window.ts';
import { WholeButUnfit, type Unfitness } from './unfit.ts';

type Check = (container: Container) => Promise<void>;

/**
 * What each container is checked with. MP3, ADTS, WAV and Ogg are walked by our own code: a demuxer for players skips what is
 * broken without a word, and that is just what matters here. Indexes with tables are left to a library.
 */
const CHECKS: Readonly<Record<string, readonly Check[]>> = {
  mp3: [checkMp3],
  aac: [checkAdts],
  wav: [checkWav],
  ogg: [checkOgg],
  // The length of a frame is nowhere written: a cut within the last one shows only in that the samples before are too few.
  flac: [checkTracks],
  m4a: [checkBoxes, checkTracks],
  mp4: [checkBoxes, checkTracks],
  mov: [checkBoxes, checkTracks],
  webm: [checkSegment, checkTracks],
  mkv: [checkSegment, checkTracks],
  pcm: [checkRaw],
};

/**
 * Checks a media file from its own figures and its own content, not only its header: that it is whole, has a length, has the picture
 * and the sound that it is for, and, where that shows without a decoder, that it is not silent from start to end. It finds
 * downloads that ended early without a declared length: throws `UnfitBody`. Returns what is wrong with one that is whole. Little of
 * a file is in memory at a time.
 */
export async function checkWhole(
  file: FileWindow,
  extension: string,
  family: 'audio' | 'video',
): Promise<Unfitness | undefined> {
  try {
    for (const check of CHECKS[extension] ?? []) await check({ file, extension, family });
    return undefined;
  } catch (error) {
    if (!(error instanceof WholeButUnfit)) throw error;
    return error.unfit;
  }
}
