import { WholeButUnfit } from '../unfit.ts';
import { notWhole, type Container } from './container.ts';

/** Fixed part of a page's header, before its table of segments (RFC 3533, section 6). */
const HEADER_BYTES = 27;
/** Flag of the last page of a stream. */
const END_OF_STREAM = 4;

/**
 * Walks an Ogg file page by page. Throws `UnfitBody` if a page is cut off, foreign bytes lie between pages, or a stream
 * does not reach its end; `WholeButUnfit` if no stream has a length. Silence cannot be detected without decoding.
 */
export async function checkOgg(container: Container): Promise<void> {
  const { file } = container;
  const open = new Set<number>();
  let isLong = false;
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
    // Position reached, in units of the codec; -1 on a page where no packet ends.
    isLong ||= header.readBigInt64LE(6) > 0n;
    at += size;
  }
  if (open.size > 0) throw notWhole(container, 'it ends before the page that is marked as its last');
  if (!isLong) throw new WholeButUnfit('without sound');
}

/** Bytes of a page; undefined if its header is cut off. */
function pageSize(header: Buffer): number | undefined {
  const segments = header[26];
  if (segments === undefined || header.length < HEADER_BYTES + segments) return undefined;
  const table = header.subarray(HEADER_BYTES, HEADER_BYTES + segments);
  return HEADER_BYTES + segments + table.reduce((sum, length) => sum + length, 0);
}
