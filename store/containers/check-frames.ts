import { WholeButUnfit } from '../unfit.ts';
import { SILENCE_RMS } from '../sound/levels.ts';
import { notWhole, type Container } from './container.ts';
import { eachFrame } from './frames.ts';
import { granulePowers } from './granule-power.ts';
import { readAdtsFrame, readMpegFrame, type Frame, type FrameInfo } from './mpeg-frame.ts';

/**
 * Walks an MP3 file frame by frame. Throws `UnfitBody` if its last frame is cut off, foreign bytes lie between frames,
 * or it has fewer frames than it says; `WholeButUnfit` if it has none, or only such as cannot be heard. Returns its length in
 * seconds: the sum of its frames, which includes the few hundredths that encoders add at both ends.
 *
 * A file without a `Xing` header that was cut exactly between two frames is a whole, shorter file. Only a declared
 * length can reveal the cut.
 */
export async function checkMp3(container: Container): Promise<number> {
  const { file } = container;
  const walk = await walkFrames(
    container,
    readMpegFrame,
    (frame, head) => frame.isSilent || granulePowers(head, frame.header).every((power) => power <= SILENCE_RMS ** 2),
  );
  const { bytes = null, frames = null } = walk.info ?? {};
  const there = file.bytes - walk.start;
  if (bytes !== null && bytes > there) {
    throw notWhole(container, `it says that its sound has ${bytes} bytes, and only ${there} are there`);
  }
  // Some encoders also count the frame that holds the number.
  if (frames !== null && frames > walk.frames + 1) {
    throw notWhole(container, `it says that it has ${frames} frames, and only ${walk.frames} are there`);
  }
  if (walk.frames === 0) throw new WholeButUnfit('without sound');
  if (walk.isSilent) throw new WholeButUnfit('silent', walk.seconds);
  return walk.seconds;
}

/** The same for an ADTS stream, which has no total length. Silence cannot be detected without decoding. */
export async function checkAdts(container: Container): Promise<number> {
  const { frames, seconds } = await walkFrames(container, readAdtsFrame, () => false);
  if (frames === 0) throw new WholeButUnfit('without sound');
  return seconds;
}

interface Walk {
  /** Offset of the first frame. */
  readonly start: number;
  /** Frames with sound. */
  readonly frames: number;
  /** Of all of them. */
  readonly seconds: number;
  readonly isSilent: boolean;
  readonly info: FrameInfo | undefined;
}

/** @param isQuiet asked of frames until one is not, so that it costs nothing for a good file */
async function walkFrames<F extends Frame>(
  container: Container,
  readFrame: (head: Buffer) => F | undefined,
  isQuiet: (frame: F, head: Buffer) => boolean,
): Promise<Walk> {
  const { file } = container;
  let start: number | undefined;
  let frames = 0;
  let seconds = 0;
  let isSilent = true;
  let info: FrameInfo | undefined;
  await eachFrame(container, readFrame, ({ at, head, frame }) => {
    start ??= at;
    // Concatenated recordings have one such header each; only one at the very front describes the file.
    if (frames === 0) info ??= frame.info;
    if (frame.info !== undefined) return;
    frames += 1;
    seconds += frame.seconds;
    isSilent &&= isQuiet(frame, head);
  });
  return { start: start ?? file.bytes, frames, seconds, isSilent, info };
}
