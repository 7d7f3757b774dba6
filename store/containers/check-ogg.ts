import { WholeButUnfit } from '../unfit.ts';
import { notWhole, type Container } from './container.ts';

/** Fixed part of a page's header, before its table of segments (RFC 3533, section 6). */
const HEADER_BYTES = 27;
/** Flags of the first and the last page of a stream. */
const BEGIN_OF_STREAM = 2;
const END_OF_STREAM = 4;

/** Of the first packet of a stream: what its length depends on is no farther in. */
const FIRST_PACKET_BYTES = 40;

/** How the positions of a stream become seconds. */
interface Timing {
  /** Positions per second. */
  readonly rate: number;
  /** Positions at the start that are not played. */
  readonly skipped: number;
}

/**
 * Walks an Ogg file page by page. Throws `UnfitBody` if a page is cut off, foreign bytes lie between pages, or a stream
 * does not reach its end; `WholeButUnfit` if no stream has a length. Silence cannot be detected without decoding. Returns
 * how many seconds its longest stream lasts; undefined for codecs other than Opus, Vorbis, FLAC and Speex.
 */
export async function checkOgg(container: Container): Promise<number | undefined> {
  const { file } = container;
  const open = new Set<number>();
  const timings = new Map<number, Timing | undefined>();
  let isLong = false;
  let seconds: number | undefined;
  for (let at = 0; at < file.bytes;) {
    const header = await file.read(at, HEADER_BYTES + 255);
    if (header.toString('latin1', 0, 4) !== 'OggS') {
      throw notWhole(container, `byte ${at} of ${file.bytes} belongs to no page`);
    }
    const size = pageSize(header);
    if (size === undefined || at + size > file.bytes) {
      throw notWhole(container, `its last page is cut off at byte ${file.bytes}`);
    }
    const stream = header.readUInt32LE(14);
    if ((header.readUInt8(5) & END_OF_STREAM) === 0) open.add(stream);
    else open.delete(stream);
    if ((header.readUInt8(5) & BEGIN_OF_STREAM) !== 0) {
      timings.set(stream, readTiming(await file.read(at + HEADER_BYTES + header.readUInt8(26), FIRST_PACKET_BYTES)));
    }
    // Position reached, in units of the codec; -1 on a page where no packet ends.
    const position = Number(header.readBigInt64LE(6));
    isLong ||= position > 0;
    const timing = timings.get(stream);
    if (timing !== undefined && position > 0) {
      seconds = Math.max(seconds ?? 0, (position - timing.skipped) / timing.rate);
    }
    at += size;
  }
  if (open.size > 0) throw notWhole(container, 'it ends before the page that is marked as its last');
  if (!isLong) throw new WholeButUnfit('without sound');
  return seconds;
}

/**
 * What the first packet of a stream says (Opus: RFC 7845, section 5.1; Vorbis I, section 4.2.2; FLAC: RFC 9639, section
 * 10.1; Speex: the header of its manual, section 8).
 */
function readTiming(packet: Buffer): Timing | undefined {
  if (packet.length < 16) return undefined;
  // Opus counts at 48 kHz, whatever it was recorded at.
  if (startsWith(packet, 'OpusHead')) return { rate: 48_000, skipped: packet.readUInt16LE(10) };
  const rate = readRate(packet);
  return rate === 0 ? undefined : { rate, skipped: 0 };
}

/** Positions per second of a stream that skips none; 0 if it does not say. */
function readRate(packet: Buffer): number {
  if (startsWith(packet, '\u0001vorbis')) return packet.readUInt32LE(12);
  if (packet.length < FIRST_PACKET_BYTES) return 0;
  if (startsWith(packet, '\u007fFLAC')) return packet.readUIntBE(27, 3) >> 4;
  return startsWith(packet, 'Speex   ') ? packet.readUInt32LE(36) : 0;
}

function startsWith(packet: Buffer, name: string): boolean {
  return packet.toString('latin1', 0, name.length) === name;
}

/** Bytes of a page; undefined if its header is cut off. */
function pageSize(header: Buffer): number | undefined {
  const segments = header[26];
  if (segments === undefined || header.length < HEADER_BYTES + segments) return undefined;
  const table = header.subarray(HEADER_BYTES, HEADER_BYTES + segments);
  return HEADER_BYTES + segments + table.reduce((sum, length) => sum + length, 0);
}
