import { readMpegFrame, sideLayout, type MpegFrame } from '../../containers/mpeg-frame.ts';

/** Bytes of a `Xing` header with everything in it: name, flags, frames, bytes, table of contents. */
const XING_BYTES = 16 + 100;

/** What a `Xing` header tells players. */
export interface XingFigures {
  readonly frames: number;
  /** Bytes of the frames, this one included. */
  readonly bytes: number;
  /** Where each hundredth of the time begins, in 256ths of the bytes. */
  readonly contents: readonly number[];
  /** True if all frames have the same size, but for padding. */
  readonly isConstant: boolean;
}

/** A frame of digital silence like the one that begins with these four bytes. */
export function silentFrame(head: Buffer): Buffer {
  const bare = withoutChecksum(head);
  return startOf(bare, readMpegFrame(bare)?.size ?? 0);
}

/** Bytes of the frame that {@link xingFrame} makes. */
export function xingBytes(head: Buffer): number {
  return roomyHead(head).size;
}

/**
 * The frame at the front of a file that says how long it is, like the one that begins with these four bytes. It holds no
 * sound.
 */
export function xingFrame(head: Buffer, { frames, bytes, contents, isConstant }: XingFigures): Buffer {
  const { bare, size, at } = roomyHead(head);
  const frame = startOf(bare, size);
  frame.write(isConstant ? 'Info' : 'Xing', at, 'latin1');
  // Frames, bytes and table of contents are given.
  frame.writeUInt32BE(7, at + 4);
  frame.writeUInt32BE(frames, at + 8);
  frame.writeUInt32BE(bytes, at + 12);
  Buffer.from(contents).copy(frame, at + 16);
  return frame;
}

/**
 * Takes the sound out of a frame and leaves its data, which later frames may refer to. Its checksum, if it has one, is
 * made to fit.
 *
 * @param frame its bytes up to the end of the side information, which are changed
 */
export function mute(frame: Buffer, { header }: MpegFrame): void {
  const from = header.hasChecksum ? 6 : 4;
  frame.fill(0, from, from + sideLayout(header).bytes);
  if (header.hasChecksum) frame.writeUInt16BE(checksum(frame, from + sideLayout(header).bytes), 4);
}

function startOf(head: Buffer, size: number): Buffer {
  const frame = Buffer.alloc(size);
  head.copy(frame);
  return frame;
}

/** The header without a checksum, padding or joint stereo. */
function withoutChecksum(head: Buffer): Buffer {
  const bare = Buffer.from(head.subarray(0, 4));
  bare.writeUInt8(bare.readUInt8(1) | 1, 1);
  bare.writeUInt8(bare.readUInt8(2) & 0xfd, 2);
  bare.writeUInt8(bare.readUInt8(3) & 0xcf, 3);
  return bare;
}

/** A header whose frame has room for a `Xing` header: the lowest bit rate that is not below its own. */
function roomyHead(head: Buffer): { bare: Buffer; size: number; at: number } {
  const bare = withoutChecksum(head);
  for (let rate = bare.readUInt8(2) >> 4; rate < 15; rate += 1) {
    bare.writeUInt8((rate << 4) | (bare.readUInt8(2) & 15), 2);
    const frame = readMpegFrame(bare);
    if (frame === undefined) break;
    const at = 4 + sideLayout(frame.header).bytes;
    if (frame.size >= at + XING_BYTES) return { bare, size: frame.size, at };
  }
  throw new Error('Expected a coding with a frame of 152 bytes, but it has none.');
}

/** CRC-16 of a frame's header without its sync word, and of its side information (ISO/IEC 11172-3, 2.4.3.1). */
function checksum(frame: Buffer, end: number): number {
  let sum = 0xffff;
  for (let at = 2; at < end; at += at === 3 ? 3 : 1) {
    sum ^= frame.readUInt8(at) << 8;
    for (let bit = 0; bit < 8; bit += 1) sum = ((sum << 1) ^ ((sum & 0x8000) === 0 ? 0 : 0x8005)) & 0xffff;
  }
  return sum;
}
