import { WholeButUnfit } from '../unfit.ts';
import { notWhole, type Container } from './container.ts';

/** The fields of a `fmt ` chunk that matter here. */
interface Format {
  /** Bytes of one sample across all channels. */
  readonly block: number;
  /** Bytes that play in a second; 0 if it does not say. */
  readonly bytesPerSecond: number;
  /** The byte that digital silence consists of; undefined for codings that have no such byte, or several. */
  readonly silence: number | undefined;
}

/** Lengths from here on mean "unknown": programs that cannot seek back to the header write them. */
const UNKNOWN = 0x7fff_f000;

/**
 * Checks a WAV file against its own chunks (name, little-endian length, content padded to an even length). Throws
 * `UnfitBody` if its sound is cut off, `WholeButUnfit` if it has no length or is silent. Without a stated length, only
 * a cut within a sample can be detected.
 */
export async function checkWav(container: Container): Promise<number | undefined> {
  const { file } = container;
  let format: Format | undefined;
  for (let at = 12; at + 8 <= file.bytes;) {
    const header = await file.read(at, 8);
    const name = header.toString('latin1', 0, 4);
    const size = header.readUInt32LE(4);
    const start = at + 8;
    if (name === 'fmt ') format = readFormat(await file.read(start, Math.min(size, 40)));
    if (name === 'data') {
      if (format === undefined) throw notWhole(container, 'it does not say how its sound is coded');
      return checkSound(container, format, start, size);
    }
    at = start + size + (size % 2);
  }
  throw notWhole(container, 'it has no sound (data chunk)');
}

async function checkSound(
  container: Container,
  format: Format,
  start: number,
  size: number,
): Promise<number | undefined> {
  const { file } = container;
  const there = file.bytes - start;
  const isKnown = size < UNKNOWN && (size !== 0 || there === 0);
  if (isKnown && size > there) {
    throw notWhole(container, `its sound is ${size} bytes long, and only ${there} are there`);
  }
  const sound = isKnown ? size : there;
  if (!isKnown && there % format.block !== 0) {
    throw notWhole(container, `it ends within a sample of ${format.block} bytes`);
  }
  // After the sound come other chunks, such as texts. Some programs omit the last padding byte but count it.
  const declared = (await file.read(0, 8)).readUInt32LE(4) + 8;
  if (isKnown && declared < UNKNOWN && declared > file.bytes + 1) {
    throw notWhole(container, `it says that it has ${declared} bytes, and only ${file.bytes} are there`);
  }
  if (sound < format.block) throw new WholeButUnfit('without sound');
  const { silence, bytesPerSecond } = format;
  const seconds = bytesPerSecond === 0 ? undefined : sound / bytesPerSecond;
  if (silence !== undefined && (await isOnly(container, start, start + sound, silence)))
    throw new WholeButUnfit('silent', seconds);
  return seconds;
}

function readFormat(format: Buffer): Format | undefined {
  if (format.length < 16) return undefined;
  // Format 0xFFFE keeps the real one in its extension.
  const tag = format.readUInt16LE(0);
  const coding = tag === 0xfffe && format.length >= 26 ? format.readUInt16LE(24) : tag;
  const bits = format.readUInt16LE(14);
  const isSamples = coding === 1 || coding === 3;
  const block = Math.max(1, format.readUInt16LE(12));
  return {
    block,
    // Of plain samples the format says it twice, and players go by the rate.
    bytesPerSecond: isSamples ? format.readUInt32LE(4) * block : format.readUInt32LE(8),
    silence: isSamples ? (bits === 8 ? 0x80 : 0) : undefined,
  };
}

/**
 * Checks raw audio, which is nothing but samples: throws `WholeButUnfit` if all bytes are zero. In unsigned 8-bit audio
 * and telephone codings silence is not zero, so it is not detected there; any first byte is legal.
 */
export async function checkRaw(container: Container): Promise<undefined> {
  if (await isOnly(container, 0, container.file.bytes, 0)) throw new WholeButUnfit('silent');
}

/** Whether this range repeats a single byte; stops reading at the first other byte. */
async function isOnly({ file }: Container, start: number, end: number, byte: number): Promise<boolean> {
  let same = Buffer.alloc(0);
  for await (const piece of file.pieces(start, end)) {
    if (same.length < piece.length) same = Buffer.alloc(piece.length, byte);
    if (!piece.equals(same.subarray(0, piece.length))) return false;
  }
  return true;
}
