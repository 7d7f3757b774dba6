import { notWhole, type Container } from './container.ts';
import type { FileWindow } from './file-window.ts';
import { FRAME_HEAD_BYTES, id3Bytes, type Frame } from './mpeg-frame.ts';

/** Up to this many zeros between frames are padding; players skip them. */
const MOST_PADDING = 4096;

/** A frame in its place. */
export interface PlacedFrame<F extends Frame> {
  /** Its offset in the file. */
  readonly at: number;
  /** Its first `FRAME_HEAD_BYTES`, or all of the file that is left. */
  readonly head: Buffer;
  readonly frame: F;
}

/**
 * Walks the frames of a file; tags and padding between them are passed over. Throws `UnfitBody` at foreign bytes and at
 * a frame or tag that the end of the file cuts off. It calls back rather than yields: a generator costs another promise
 * for each of a million frames.
 */
export async function eachFrame<F extends Frame>(
  container: Container,
  readFrame: (head: Buffer) => F | undefined,
  visit: (placed: PlacedFrame<F>) => void,
): Promise<void> {
  const { file } = container;
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
    if (frame !== undefined) visit({ at, head, frame });
    at += size;
  }
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
