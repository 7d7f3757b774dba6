import { notWhole, type Container } from './container.ts';

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
