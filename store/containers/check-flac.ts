import { WholeButUnfit } from '../unfit.ts';
import { notWhole, type Container } from './container.ts';
import { FLAC_HEADER_BYTES, flacChecksum, flacFrameSamples, readFlacInfo, type FlacInfo } from './flac-frame.ts';

/** Marks the last of the blocks in front of the frames. */
const LAST_BLOCK = 0x80;
/** Bytes of an ID3v1 tag, which some programs put behind the frames. */
const TAG_BYTES = 128;
const PIECE_BYTES = 64 * 1024;

/**
 * Walks a FLAC file (RFC 9639) frame by frame. A frame does not say its length, but ends with a checksum of its bytes: it
 * is over where that fits and another frame or the end of the file follows. Throws `UnfitBody` if a frame is damaged or
 * cut off, or samples are missing; `WholeButUnfit` if there are none. Silence cannot be detected without decoding.
 * Returns its length in seconds, also of a stream, which does not say it.
 */
export async function checkFlac(container: Container): Promise<number> {
  const { info, start } = await passBlocks(container);
  const samples = await walkFrames(container, start);
  if (samples < info.samples) {
    const [says, has] = [info.samples, samples].map((of) => (of / Math.max(1, info.rate)).toFixed(1));
    const counts = `${samples} of ${info.samples} samples`;
    throw notWhole(container, `it says that it lasts ${says ?? ''} s, and only ${has ?? ''} s are there (${counts})`);
  }
  if (samples === 0 || info.rate === 0) throw new WholeButUnfit('without sound');
  return samples / info.rate;
}

/** Passes over the blocks in front of the frames. */
async function passBlocks(container: Container): Promise<{ readonly info: FlacInfo; readonly start: number }> {
  const { file } = container;
  let info: FlacInfo | undefined;
  for (let at = 4; at + 4 <= file.bytes;) {
    const header = await file.read(at, 4);
    const size = header.readUIntBE(1, 3);
    if (at === 4) info = readFlacInfo(await file.read(8, size));
    at += 4 + size;
    if ((header.readUInt8(0) & LAST_BLOCK) === 0) continue;
    if (info === undefined || at > file.bytes) break;
    return { info, start: at };
  }
  throw notWhole(container, 'it ends before its frames begin');
}

/** Returns the samples of all frames. */
async function walkFrames(container: Container, start: number): Promise<number> {
  const { file } = container;
  const end = await endOfFrames(container, start);
  let samples = 0;
  let frameAt = start;
  let checksum = 0;
  for (let at = start; at < end;) {
    const piece = await file.read(at, Math.min(PIECE_BYTES, end - at));
    if (piece.length === 0) break;
    for (const [offset, byte] of piece.entries()) {
      const place = at + offset;
      // Only here can a frame have ended, and the next one begin.
      if (checksum === 0 && (byte === 0xff || place === start)) {
        const found = flacFrameSamples(await headAt(container, piece, at, offset));
        if (found === undefined && place === start) throw notWhole(container, `byte ${start} belongs to no frame`);
        if (found !== undefined) [samples, frameAt] = [samples + found, place];
      }
      checksum = flacChecksum(checksum, byte);
    }
    at += piece.length;
  }
  if (checksum !== 0) throw notWhole(container, `its frame at byte ${frameAt} of ${file.bytes} is damaged or cut off`);
  return samples;
}

/** A header may reach into the next piece. */
async function headAt({ file }: Container, piece: Buffer, at: number, offset: number): Promise<Buffer> {
  const head = piece.subarray(offset, offset + FLAC_HEADER_BYTES);
  return head.length === FLAC_HEADER_BYTES ? head : file.read(at + offset, FLAC_HEADER_BYTES);
}

async function endOfFrames({ file }: Container, start: number): Promise<number> {
  const tagAt = file.bytes - TAG_BYTES;
  const isTagged = tagAt >= start && (await file.read(tagAt, 3)).toString('latin1') === 'TAG';
  return isTagged ? tagAt : file.bytes;
}
