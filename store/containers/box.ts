import type { FileWindow } from './file-window.ts';

/** A box of an MP4 or QuickTime file. */
export interface Box {
  readonly name: string;
  /** Where its content begins, bytes from the start of the file. */
  readonly content: number;
  /** Where it says that it ends; maybe beyond the file. */
  readonly end: number;
}

/**
 * Reads the header of a box: a big-endian length that includes it, and a name. Length 1: a 64-bit length follows; 0: the
 * box ends with the file. A box is at least as long as its header, so a walk goes on. Undefined if this is no header.
 */
export async function readBox(file: FileWindow, at: number): Promise<Box | undefined> {
  const header = await file.read(at, 16);
  if (header.length < 8) return undefined;
  const name = header.toString('latin1', 4, 8);
  const short = header.readUInt32BE(0);
  if (short === 0) return { name, content: at + 8, end: file.bytes };
  if (short !== 1) return short < 8 ? undefined : { name, content: at + 8, end: at + short };
  const long = header.length < 16 ? 0 : Number(header.readBigUInt64BE(8));
  return long < 16 ? undefined : { name, content: at + 16, end: at + long };
}
