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

const EBML = 0x1a45dfa3;
const SEGMENT = 0x18538067;

/** Checks that the one segment of a Matroska or WebM file (RFC 8794, RFC 9559) is complete, if it states its length. */
export async function checkSegment(container: Container): Promise<undefined> {
  const { file } = container;
  for (let at = 0; at < file.bytes;) {
    const head = await file.read(at, 12);
    const size = head.length < 5 ? undefined : readSize(head.subarray(4));
    const id = head.length < 4 ? 0 : head.readUInt32BE(0);
    if (size === undefined || (id !== EBML && id !== SEGMENT)) {
      throw notWhole(container, `it has no content (segment), but an unknown element at byte ${at}`);
    }
    const end = at + 4 + size.length + size.value;
    if (id === SEGMENT) {
      // Live streams leave the length open (all bits set); then only the duration can reveal a cut.
      if (!size.isOpen && end > file.bytes) {
        throw notWhole(container, `its content ends at byte ${end}, and the file at byte ${file.bytes}`);
      }
      return;
    }
    at = end;
  }
  throw notWhole(container, 'it has no content (segment)');
}

/** A number whose leading zero bits say how many bytes it has. */
function readSize(bytes: Buffer): { value: number; length: number; isOpen: boolean } | undefined {
  const first = bytes[0] ?? 0;
  const length = Math.clz32(first) - 23;
  if (first === 0 || bytes.length < length) return undefined;
  const most = 2 ** (7 * length) - 1;
  let value = first & (0xff >> length);
  for (let index = 1; index < length; index += 1) value = value * 256 + (bytes[index] ?? 0);
  return { value, length, isOpen: value >= most };
}
