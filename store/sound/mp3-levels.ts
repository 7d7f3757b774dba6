import { eachFrame } from '../containers/frames.ts';
import { granulePowers } from '../containers/granule-power.ts';
import { readMpegFrame, type MpegHeader } from '../containers/mpeg-frame.ts';
import type { FileWindow } from '../containers/file-window.ts';
import { SILENCE_RMS, Silences, type Hearing } from './levels.ts';

/**
 * Where an MP3 file is silent, without decoding it. Each granule says how large its frequency lines can be at most
 * (their gain, the table of their codes, their number of bits), and so how loud it can be at most: what is below the
 * limit is silent, and what may be above it is not called silent. So it finds less silence than there is, never more.
 *
 * A loudness or a peak cannot be had without a decoder.
 */
export async function mp3Levels(file: FileWindow): Promise<Hearing> {
  const silences = new Silences();
  let first: MpegHeader | undefined;
  let before = 0;
  await eachFrame({ file, extension: 'mp3', family: 'audio' }, readMpegFrame, ({ head, frame }) => {
    if (frame.info !== undefined) return;
    const { header } = frame;
    first ??= header;
    const powers = granulePowers(head, header);
    for (const power of powers) {
      // A granule sounds on into the next one.
      silences.add(frame.seconds / powers.length, Math.max(power, before) <= SILENCE_RMS ** 2);
      before = power;
    }
  });
  if (first === undefined) return { type: 'unread', why: 'it has no sound' };
  const { rate, isMono } = first;
  const channels = isMono ? 1 : 2;
  const levels = { ...silences.end(), sampleRate: rate, channels, peak: null, rms: null, clippedShare: null };
  return { type: 'read', levels };
}
