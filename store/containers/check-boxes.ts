import { notWhole, type Container } from './container.ts';

/**
 * Walks the outer boxes of an MP4 or QuickTime file. A box begins with a big-endian length that includes its header,
 * and a name. Length 1: a 64-bit length follows; 0: the box ends with the file. Throws `UnfitBody` if a box is cut off,
 * or if there is no index.
 */
export async function checkBoxes(container: Container): Promise<undefined> {
  const { file } = container;
  let hasIndex = false;
  for (let at = 0; at < file.bytes;) {
    const header = await file.read(at, 16);
    const size = boxSize(header, file.bytes - at);
    if (size === undefined) throw notWhole(container, `its box at byte ${at} of ${file.bytes} is broken`);
    const name = header.toString('latin1', 4, 8);
    hasIndex ||= name === 'moov';
    if (at + size > file.bytes) {
      throw notWhole(container, `its box "${name}" ends at byte ${at + size}, and the file at byte ${file.bytes}`);
    }
    at += size;
  }
  if (!hasIndex) throw notWhole(container, 'it has no index of its content (moov box)');
}

/** Bytes of a box; undefined if this is not a box header. */
function boxSize(header: Buffer, left: number): number | undefined {
  if (header.length < 8) return undefined;
  const short = header.readUInt32BE(0);
  if (short === 0) return left;
  if (short !== 1) return short < 8 ? undefined : short;
  const long = header.length < 16 ? 0 : Number(header.readBigUInt64BE(8));
  // A box is at least as long as its header: so a walk goes on.
  return long < 16 ? undefined : long;
}
