import type { FileHandle } from 'node:fs/promises';

/**
 * Says how a media file is cut off, as far as its own figures tell; undefined if nothing is amiss. Needs no decoder
 * and reads only headers. It finds downloads that ended early without a declared length.
 */
export async function findDefect(file: FileHandle, extension: string, bytes: number): Promise<string | undefined> {
  switch (extension) {
    case 'wav':
      return findWavDefect(file, bytes);
    case 'm4a':
    case 'mp4':
    case 'mov':
      return findMp4Defect(file, bytes);
    case 'mp3':
      return findMp3Defect(file, bytes);
    default:
      return undefined;
  }
}

/** RIFF chunks: name, little-endian length, content padded to an even length. Streamed files have 0 or 0xFFFFFFFF for "not known". */
async function findWavDefect(file: FileHandle, bytes: number): Promise<string | undefined> {
  for (let at = 12; at + 8 <= bytes;) {
    const header = await readAt(file, at, 8);
    const size = header.readUInt32LE(4);
    if (header.toString('latin1', 0, 4) === 'data') {
      const there = bytes - at - 8;
      const isKnown = size !== 0 && size !== 0xffffffff;
      return isKnown && size > there ? `its sound is ${size} bytes long, but only ${there} are there` : undefined;
    }
    at += 8 + size + (size % 2);
  }
  return 'it is a WAV file without sound';
}

/** ISO boxes: big-endian length that includes the header, name; 1: a 64-bit length follows; 0: up to the end of the file. */
async function findMp4Defect(file: FileHandle, bytes: number): Promise<string | undefined> {
  let hasIndex = false;
  for (let at = 0; at < bytes;) {
    if (at + 8 > bytes) return 'it ends within the header of a box';
    const header = await readAt(file, at, 16);
    const name = header.toString('latin1', 4, 8);
    hasIndex ||= name === 'moov';
    let size = header.readUInt32BE(0);
    if (size === 0) break;
    if (size === 1) {
      if (header.length < 16) return 'it ends within the header of a box';
      size = Number(header.readBigUInt64BE(8));
    }
    if (size < 8) return `its box at byte ${at} is broken`;
    if (at + size > bytes) return `its box "${name}" ends at byte ${at + size}, but the file at ${bytes}`;
    at += size;
  }
  return hasIndex ? undefined : 'it has no index of its content (moov box)';
}

/** An MP3 may say its length in a Xing or Info header in its first frame, after an ID3v2 tag; the tag says its own. */
async function findMp3Defect(file: FileHandle, bytes: number): Promise<string | undefined> {
  const start = await skipId3(file);
  if (start >= bytes) return `its tag ends at byte ${start}, but the file at ${bytes}`;
  const frame = await readAt(file, start, 64);
  if (frame.length < 64) return undefined;
  const isMpeg1 = ((frame.readUInt8(1) >> 3) & 3) === 3;
  const isMono = frame.readUInt8(3) >> 6 === 3;
  const at = 4 + (isMpeg1 ? (isMono ? 17 : 32) : isMono ? 9 : 17);
  const name = frame.toString('latin1', at, at + 4);
  if (name !== 'Xing' && name !== 'Info') return undefined;
  const flags = frame.readUInt32BE(at + 4);
  if ((flags & 2) === 0) return undefined;
  const size = frame.readUInt32BE(at + 8 + ((flags & 1) === 0 ? 0 : 4));
  const there = bytes - start;
  return size > there ? `its sound is ${size} bytes long, but only ${there} are there` : undefined;
}

async function skipId3(file: FileHandle): Promise<number> {
  const header = await readAt(file, 0, 10);
  if (header.length < 10 || header.toString('latin1', 0, 3) !== 'ID3') return 0;
  // Four times seven bits (id3.org, ID3v2.4, section 6.2); a footer of ten bytes if flagged.
  const size = [6, 7, 8, 9].reduce((sum, at) => sum * 128 + (header.readUInt8(at) & 0x7f), 0);
  return 10 + size + ((header.readUInt8(5) & 0x10) === 0 ? 0 : 10);
}

/** Up to `length` bytes from there; fewer at the end of the file. */
async function readAt(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, position);
  return buffer.subarray(0, bytesRead);
}
