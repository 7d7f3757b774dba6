import { incomplete, type Container } from '../unfit.ts';
import type { FileWindow } from './file-window.ts';

// Parses MPEG audio (MP3): frames, their side information, and the tags and padding between them. Each frame of layer
// III is made of one or two granules; the first frame of a file may hold figures about the others instead of sound.

/** Content of a `Xing` or `Info` header (an encoder convention, not in the standard); null for an omitted figure. */
interface FrameInfo {
  readonly frames: number | null;
  readonly bytes: number | null;
}

/** Bytes needed to read a frame, unless the file ends before. */
const FRAME_HEAD_BYTES = 64;

/** kbit/s by index, from 1; the first entry is for "free", which states no size. */
const BITRATES = {
  v1: {
    1: [0, 32, 64, 96, 128, 160, 192, 224, 256, 288, 320, 352, 384, 416, 448],
    2: [0, 32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384],
    3: [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
  },
  v2: {
    1: [0, 32, 48, 56, 64, 80, 96, 112, 128, 144, 160, 176, 192, 224, 256],
    2: [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
    3: [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
  },
} as const;
/** Samples per second of MPEG-1, by index. */
const SAMPLE_RATES = [44_100, 48_000, 32_000];

/** A parsed MPEG audio header. */
interface MpegHeader {
  /** True for MPEG-1; false for versions 2 and 2.5. */
  readonly isVersion1: boolean;
  readonly layer: 1 | 2 | 3;
  readonly isMono: boolean;
  readonly hasChecksum: boolean;
  /** Samples per second and channel. */
  readonly rate: number;
  /** Bytes, header included. */
  readonly size: number;
  readonly seconds: number;
}

/** A frame of MPEG audio (ISO/IEC 11172-3, 13818-3). */
export interface MpegFrame {
  /** Bytes, header included. */
  readonly size: number;
  /** How long it plays. */
  readonly seconds: number;
  /** True for a frame that certainly decodes to zero samples. */
  readonly isSilent: boolean;
  readonly header: MpegHeader;
  /** Only in the first frame of many files, which holds figures about the others instead of sound. */
  readonly info?: FrameInfo;
}

/** Parses the MPEG audio frame that begins here; undefined if there is none, or if it does not state its size. */
export function readMpegFrame(head: Buffer): MpegFrame | undefined {
  const header = readHeader(head);
  if (header === undefined) return undefined;
  const info = header.layer === 3 ? readInfo(head, header) : undefined;
  return {
    size: header.size,
    seconds: header.seconds,
    isSilent: info === undefined && header.layer === 3 && isEmpty(head, header),
    header,
    ...(info === undefined ? {} : { info }),
  };
}

/** Returns the bytes of the ADTS frame (ISO/IEC 14496-3) that begins here; undefined if there is none. */
export function adtsFrameBytes(head: Buffer): number | undefined {
  const [first = 0, second = 0, third = 0, fourth = 0, fifth = 0, sixth = 0] = head;
  if (head.length < 7 || first !== 0xff || (second & 0xf6) !== 0xf0 || ((third >> 2) & 15) > 12) return undefined;
  const size = ((fourth & 3) << 11) | (fifth << 3) | (sixth >> 5);
  return size < 7 ? undefined : size;
}

/** Returns the bytes of the ID3v2 tag that begins here; 0 if none does (id3.org, ID3v2.4, section 3.1 and 6.2). */
export function id3Bytes(head: Buffer): number {
  if (head.length < 10 || head.toString('latin1', 0, 3) !== 'ID3') return 0;
  // Four times seven bits, plus a footer of ten bytes if flagged.
  const size = [6, 7, 8, 9].reduce((sum, at) => sum * 128 + (head.readUInt8(at) & 0x7f), 0);
  return 10 + size + ((head.readUInt8(5) & 0x10) === 0 ? 0 : 10);
}

/** Parses the four bytes of a frame header. */
function readHeader(head: Buffer): MpegHeader | undefined {
  const [first = 0, second = 0, third = 0, fourth = 0] = head;
  if (head.length < 4 || first !== 0xff || (second & 0xe0) !== 0xe0) return undefined;
  const version = (second >> 3) & 3;
  const layer = ([undefined, 3, 2, 1] as const)[(second >> 1) & 3];
  const sampleRate = SAMPLE_RATES[(third >> 2) & 3];
  if (version === 1 || layer === undefined || sampleRate === undefined) return undefined;
  const isVersion1 = version === 3;
  const bitrate = BITRATES[isVersion1 ? 'v1' : 'v2'][layer][third >> 4] ?? 0;
  if (bitrate === 0) return undefined;
  // Versions 2 and 2.5 use a half and a quarter of the sampling rates.
  const rate = sampleRate / (isVersion1 ? 1 : version === 2 ? 2 : 4);
  const bitsPerSample = (bitrate * 1_000) / rate;
  const padding = (third >> 1) & 1;
  const samples = layer === 1 ? 384 : layer === 3 && !isVersion1 ? 576 : 1152;
  const size =
    layer === 1 ? (Math.floor(12 * bitsPerSample) + padding) * 4 : Math.floor((samples / 8) * bitsPerSample) + padding;
  const hasChecksum = (second & 1) === 0;
  return { isVersion1, layer, isMono: fourth >> 6 === 3, hasChecksum, rate, size, seconds: samples / rate };
}

/** Reads the info header that replaces the audio of a file's first frame. Its offset ignores a checksum. */
function readInfo(head: Buffer, header: MpegHeader): FrameInfo | undefined {
  const at = 4 + sideLayout(header).bytes;
  const name = head.toString('latin1', at, at + 4);
  if ((name !== 'Xing' && name !== 'Info') || head.length < at + 16) return undefined;
  const flags = head.readUInt32BE(at + 4);
  const hasFrames = (flags & 1) !== 0;
  const frames = hasFrames ? head.readUInt32BE(at + 8) : null;
  const bytes = (flags & 2) === 0 ? null : head.readUInt32BE(at + (hasFrames ? 12 : 8));
  return { frames, bytes };
}

/**
 * Whether every granule of a layer III frame is empty (`part2_3_length` is 0): then all its frequency lines are zero.
 * Encoders write digital silence this way.
 */
function isEmpty(head: Buffer, header: MpegHeader): boolean {
  const { start, granuleBits, granules } = sideLayout(header);
  if (head.length * 8 < start + granules * granuleBits) return false;
  for (let granule = 0; granule < granules; granule += 1) {
    if (readBits(head, start + granule * granuleBits, 12) !== 0) return false;
  }
  return true;
}

/**
 * Layout of a layer III frame's side information (ISO/IEC 11172-3, 2.4.1.7; 13818-3, 2.4.1.7). `bytes`: its total size,
 * after the header and checksum. `start`: bit offset of the first granule from the start of the frame. `granuleBits`:
 * bits per granule and channel. `granules`: count over all channels, with the channels of one granule next to each
 * other.
 */
export function sideLayout({
  isVersion1,
  isMono,
  hasChecksum,
}: MpegHeader): Readonly<Record<'bytes' | 'start' | 'granuleBits' | 'granules', number>> {
  // Before the granules: start of the main data, private bits, and in version 1 what granules share.
  const before = isVersion1 ? (isMono ? 18 : 20) : isMono ? 9 : 10;
  return {
    bytes: isVersion1 ? (isMono ? 17 : 32) : isMono ? 9 : 17,
    start: (hasChecksum ? 6 : 4) * 8 + before,
    granuleBits: isVersion1 ? 59 : 63,
    granules: (isVersion1 ? 2 : 1) * (isMono ? 1 : 2),
  };
}

/** Reads at most 16 bits, starting at a bit offset. */
export function readBits(bytes: Buffer, from: number, count: number): number {
  const at = from >> 3;
  const word = ((bytes[at] ?? 0) << 16) | ((bytes[at + 1] ?? 0) << 8) | (bytes[at + 2] ?? 0);
  return (word >> (24 - (from & 7) - count)) & ((1 << count) - 1);
}

/** Up to this many zeros between frames are padding; players skip them. */
const MAX_PADDING = 4096;

/**
 * Walks the frames of an MP3 file (`head`: the first bytes of each, at most 64); tags and padding between them are
 * skipped. Throws `UnfitBody` at foreign bytes and at a frame or tag that the end of the file cuts off. It uses a
 * callback because a generator would cost another promise for each of a million frames.
 */
export async function eachFrame(
  container: Container,
  visit: (placed: { readonly at: number; readonly head: Buffer; readonly frame: MpegFrame }) => void,
): Promise<void> {
  const { file } = container;
  for (let at = 0; at < file.bytes;) {
    const head = await file.read(at, FRAME_HEAD_BYTES);
    const frame = readMpegFrame(head);
    const size = frame?.size ?? (await otherSize(file, at, head));
    if (size === undefined) {
      throw incomplete(container, `byte ${at} of ${file.bytes} belongs to no frame`);
    }
    if (at + size > file.bytes) {
      const what = frame === undefined ? 'a tag' : 'its last frame';
      throw incomplete(container, `${what} ends at byte ${at + size}, and the file at byte ${file.bytes}`);
    }
    if (frame !== undefined) visit({ at, head, frame });
    at += size;
  }
}

/** Returns the size of a tag or of a little padding between frames; undefined for anything else. */
async function otherSize(file: FileWindow, at: number, head: Buffer): Promise<number | undefined> {
  const name = head.toString('latin1', 0, 8);
  const id3 = id3Bytes(head);
  if (id3 > 0) return id3;
  if (name.startsWith('TAG')) return 128;
  // APE tags: the length does not count the header of 32 bytes.
  if (name === 'APETAGEX' && head.length >= 32) return 32 + head.readUInt32LE(12);
  if (head[0] !== 0) return undefined;
  const padding = await file.read(at, MAX_PADDING + 1);
  const zeros = padding.findIndex((byte) => byte !== 0);
  const size = zeros < 0 ? padding.length : zeros;
  return size > MAX_PADDING ? undefined : size;
}
