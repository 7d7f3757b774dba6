import { incomplete, type Container } from '../unfit.ts';
import type { FileWindow } from './file-window.ts';

// Checks of the outer structure of containers, which need little of a file: `checkIndex` and `checkBoxes` of MP4 and
// QuickTime files, `checkSegment` of Matroska and WebM files. `check-tracks.ts` then reads their content with a
// library.

/** Boxes that contain the index tables. */
const CONTAINER_BOXES = ['moov', 'trak', 'mdia', 'minf', 'stbl', 'moof', 'traf'];

/** Where a table's sample counts are. */
interface Counts {
  /** Offset of the first within the table's content, in bytes. */
  readonly first: number;
  /** Bytes from one to the next. Absent if there is only one. */
  readonly step?: number;
}

/** The index tables (ISO/IEC 14496-12, 8.6.1, 8.7.3, 8.7.4 and 8.8.8). */
const TABLES: Readonly<Record<string, Counts>> = {
  stts: { first: 8, step: 8 },
  ctts: { first: 8, step: 8 },
  stsc: { first: 12, step: 12 },
  stsz: { first: 8 },
  stz2: { first: 8 },
  trun: { first: 4 },
};

/** Max plausible samples per byte: old QuickTime audio packs six samples into a byte and counts each. */
const MAX_SAMPLES_PER_BYTE = 8;

/**
 * Adds up how many samples the index tables of an MP4 or QuickTime file claim. Throws `UnfitBody` if one claims far
 * more samples than the file has bytes: the library would iterate over them, and a few bytes can claim billions.
 */
export async function checkIndex(container: Container): Promise<undefined> {
  const { file } = container;
  for (let at = 0; at < file.bytes;) {
    const box = await readBox(file, at);
    if (box === undefined) return;
    const counts = Object.hasOwn(TABLES, box.name) ? TABLES[box.name] : undefined;
    if (counts !== undefined && (await claimsTooMany(container, box, counts))) {
      throw incomplete(container, `its index names more samples than its ${file.bytes} bytes can hold`);
    }
    // Step into a container box; skip any other.
    at = CONTAINER_BOXES.includes(box.name) ? box.content : box.end;
  }
}

/** Whether a table claims more samples than the file can hold. */
async function claimsTooMany({ file }: Container, { content, end }: Box, { first, step }: Counts): Promise<boolean> {
  const last = Math.min(end, file.bytes) - 4;
  const max = file.bytes * MAX_SAMPLES_PER_BYTE;
  const entries = step === undefined ? 1 : await readNumber(file, content + 4);
  let samples = 0;
  for (let entry = 0; entry < entries && samples <= max; entry += 1) {
    const at = content + first + entry * (step ?? 0);
    if (at > last) break;
    samples += await readNumber(file, at);
  }
  return samples > max;
}

/** Reads a 32-bit number; 0 beyond the end of the file. */
async function readNumber(file: FileWindow, at: number): Promise<number> {
  const bytes = await file.read(at, 4);
  return bytes.length < 4 ? 0 : bytes.readUInt32BE(0);
}

/**
 * Walks the outer boxes of an MP4 or QuickTime file. Throws `UnfitBody` if a box is cut off, or if there is no index.
 */
export async function checkBoxes(container: Container): Promise<undefined> {
  const { file } = container;
  let hasIndex = false;
  for (let at = 0; at < file.bytes;) {
    const box = await readBox(file, at);
    if (box === undefined) throw incomplete(container, `its box at byte ${at} of ${file.bytes} is broken`);
    hasIndex ||= box.name === 'moov';
    if (box.end > file.bytes) {
      throw incomplete(container, `its box "${box.name}" ends at byte ${box.end}, and the file at byte ${file.bytes}`);
    }
    at = box.end;
  }
  if (!hasIndex) throw incomplete(container, 'it has no index of its content (moov box)');
}

/** A box of an MP4 or QuickTime file. */
interface Box {
  readonly name: string;
  /** Where its content begins, bytes from the start of the file. */
  readonly content: number;
  /** Its declared end, possibly beyond the file. */
  readonly end: number;
}

/**
 * Reads the header of a box: a big-endian length that includes the header, and a name. Length 1: a 64-bit length
 * follows; 0: the box ends with the file. Undefined if this is no header, or a length shorter than the header, which
 * would keep a walk over the boxes from advancing.
 */
async function readBox(file: FileWindow, at: number): Promise<Box | undefined> {
  const header = await file.read(at, 16);
  if (header.length < 8) return undefined;
  const name = header.toString('latin1', 4, 8);
  const short = header.readUInt32BE(0);
  if (short === 0) return { name, content: at + 8, end: file.bytes };
  if (short !== 1) return short < 8 ? undefined : { name, content: at + 8, end: at + short };
  const long = header.length < 16 ? 0 : Number(header.readBigUInt64BE(8));
  return long < 16 ? undefined : { name, content: at + 16, end: at + long };
}

/** Ids of the two elements at the top level of a Matroska file. */
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
      throw incomplete(container, `it has no content (segment), but an unknown element at byte ${at}`);
    }
    const end = at + 4 + size.length + size.value;
    if (id === SEGMENT) {
      // Live streams leave the length open (all bits set); then only the duration can reveal a cut.
      if (!size.isOpen && end > file.bytes) {
        throw incomplete(container, `its content ends at byte ${end}, and the file at byte ${file.bytes}`);
      }
      return;
    }
    at = end;
  }
  throw incomplete(container, 'it has no content (segment)');
}

/**
 * Reads a number of variable length, whose leading zero bits say how many bytes it has. `isOpen`: all its bits are set.
 * Undefined if bytes are missing.
 */
function readSize(bytes: Buffer): { value: number; length: number; isOpen: boolean } | undefined {
  const first = bytes[0] ?? 0;
  const length = Math.clz32(first) - 23;
  if (first === 0 || bytes.length < length) return undefined;
  const max = 2 ** (7 * length) - 1;
  let value = first & (0xff >> length);
  for (let index = 1; index < length; index += 1) value = value * 256 + (bytes[index] ?? 0);
  return { value, length, isOpen: value >= max };
}
