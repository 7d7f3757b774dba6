import { WholeButUnfit } from '../unfit.ts';
import { notWhole, type Container } from './container.ts';
import { FRAME_HEAD_BYTES, id3Bytes, readAdtsFrame, readMpegFrame, type Frame, type FrameInfo } from './mpeg-frame.ts';
import type { FileWindow } from './file-window.ts';

/** Up to this many zeros between frames are padding; players skip them. */
const MOST_PADDING = 4096;

/**
 * Walks an MP3 file frame by frame. Throws `UnfitBody` if its last frame is cut off, foreign bytes lie between frames,
 * or it has fewer frames than it says; `WholeButUnfit` if it has none, or only silent ones. Returns its length in
 * seconds: the sum of its frames, which includes the few hundredths that encoders add at both ends.
 *
 * A file without a `Xing` header that was cut exactly between two frames is a whole, shorter file. Only a declared
 * length can reveal the cut.
 */
export async function checkMp3(container: Container): Promise<number> {
  const { file } = container;
  const walk = await walkFrames(container, readMpegFrame);
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
  const { frames, seconds } = await walkFrames(container, readAdtsFrame);
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

async function walkFrames(container: Container, readFrame: (head: Buffer) => Frame | undefined): Promise<Walk> {
  const { file } = container;
  let start: number | undefined;
  let frames = 0;
  let seconds = 0;
  let isSilent = true;
  let info: FrameInfo | undefined;
  for (let at = 0; at < file.bytes;) {
    const head = await file.read(at, FRAME_HEAD_BYTES);
    const frame = readFrame(head);
    const size = frame?.size ?? (await otherSize(file, at, head));
    if (size === undefined) {
      throw notWhole(container, `byte ${at} of ${file.bytes} belongs to no frame`);
    }
    if (at + size > file.bytes) {
      const what = frame === undefined ? 'a tag' : 'its last frame';
      throw notWhole(container, `${what} ends at byte ${at + size}, and the file at byte ${file.bytes}`);
    }
    if (frame !== undefined) {
      start ??= at;
      // Concatenated recordings have one such header each; only one at the very front describes the file.
      if (frames === 0) info ??= frame.info;
      if (frame.info === undefined) {
        frames += 1;
        seconds += frame.seconds;
        isSilent &&= frame.isSilent;
      }
    }
    at += size;
  }
  return { start: start ?? file.bytes, frames, seconds, isSilent, info };
}

/** Bytes of what may lie between frames: tags, and a little padding; undefined for anything else. */
async function otherSize(file: FileWindow, at: number, head: Buffer): Promise<number | undefined> {
  const name = head.toString('latin1', 0, 8);
  const id3 = id3Bytes(head);
  if (id3 > 0) return id3;
  if (name.startsWith('TAG')) return 128;
  // APE tags: the length does not count the header of 32 bytes.
  if (name === 'APETAGEX' && head.length >= 32) return 32 + head.readUInt32LE(12);
  if (head[0] !== 0) return undefined;
  const padding = await file.read(at, MOST_PADDING + 1);
  const zeros = padding.findIndex((byte) => byte !== 0);
  const size = zeros < 0 ? padding.length : zeros;
  return size > MOST_PADDING ? undefined : size;
}
