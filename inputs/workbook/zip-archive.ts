import type { FileHandle } from 'node:fs/promises';
import { pipeline } from 'node:stream';
import { crc32, createInflateRaw } from 'node:zlib';
import { damaged, UnreadableWorkbook } from './unreadable.ts';

/** Bytes of the record at the end of an archive, without and with the longest comment. */
const END_BYTES = 22;
const MAX_END_BYTES = END_BYTES + 0xff_ff;
const CHUNK_BYTES = 256 * 1024;
/** Max bytes of the table of contents. */
const MAX_DIRECTORY_BYTES = 16 * 1024 ** 2;
/** Stands for a size or offset that is stored elsewhere (ZIP64), which is not supported. */
const ZIP64 = 0xff_ff_ff_ff;

/**
 * Max bytes to unpack from an archive: `ANY_BYTES` plus `MAX_RATIO` times its size, and `MAX_BYTES` at most. A sheet
 * of equal rows is packed to a fiftieth of its size, a ZIP bomb to a thousandth.
 */
const ANY_BYTES = 64 * 1024 ** 2;
const MAX_RATIO = 100;
const MAX_BYTES = 2 * 1024 ** 3;

/** A file of an archive. Sizes in bytes. */
interface Entry {
  /** Offset of its header. */
  readonly at: number;
  /** Compression: 0 for none, 8 for deflate. */
  readonly method: number;
  readonly crc: number;
  readonly packed: number;
  /** Unpacked. */
  readonly bytes: number;
  readonly isEncrypted: boolean;
}

/** Reads the files of a ZIP archive as streams. It may be malicious, so the unpacked bytes are limited. */
export class ZipArchive {
  readonly #file: FileHandle;
  readonly #entries: ReadonlyMap<string, Entry>;
  /** Bytes that may still be unpacked. */
  #left: number;

  private constructor(file: FileHandle, entries: ReadonlyMap<string, Entry>, size: number) {
    this.#file = file;
    this.#entries = entries;
    this.#left = Math.min(ANY_BYTES + MAX_RATIO * size, MAX_BYTES);
  }

  /** Reads the table of contents. Throws {@link UnreadableWorkbook}. The caller closes the file. */
  static async open(file: FileHandle): Promise<ZipArchive> {
    const { size } = await file.stat();
    const tail = await readAt(file, Math.max(0, size - MAX_END_BYTES), Math.min(size, MAX_END_BYTES));
    const at = tail.lastIndexOf('PK\u0005\u0006', tail.length - END_BYTES, 'latin1');
    if (at < 0) throw damaged('its end is missing');
    const [length, begin] = [tail.readUInt32LE(at + 12), tail.readUInt32LE(at + 16)];
    if (begin === ZIP64 || length > MAX_DIRECTORY_BYTES || begin + length > size)
      throw damaged('its table of contents');
    return new ZipArchive(file, entriesOf(await readAt(file, begin, length)), size);
  }

  /** Whether the archive has a file of this name, ignoring case. */
  has(name: string): boolean {
    return this.#entries.has(keyOf(name));
  }

  /** Reads the content of a file, and verifies its checksum. Throws {@link UnreadableWorkbook}. */
  async *read(name: string): AsyncGenerator<Buffer> {
    const entry = this.#entries.get(keyOf(name));
    if (entry === undefined) throw damaged(`it has no ${name}`);
    if (entry.isEncrypted) throw new UnreadableWorkbook('it has a password; save it without one');
    let [crc, bytes] = [0, 0];
    for await (const chunk of this.#unpacked(entry, name)) {
      bytes += chunk.length;
      this.#left -= chunk.length;
      if (this.#left < 0) {
        throw new UnreadableWorkbook(
          'it holds far more than its size allows for, as only a file made to do harm does; if it is yours, save it as "CSV UTF-8"',
        );
      }
      crc = crc32(chunk, crc);
      yield chunk;
    }
    if (bytes !== entry.bytes || crc !== entry.crc) throw damaged(`the content of ${name}`);
  }

  /** Yields the unpacked content of a file. */
  async *#unpacked({ at, method, packed }: Entry, name: string): AsyncGenerator<Buffer> {
    const header = await readAt(this.#file, at, 30);
    const start = at + header.length + header.readUInt16LE(26) + header.readUInt16LE(28);
    if (header.readUInt32LE() !== 0x04_03_4b_50 || (method !== 0 && method !== 8)) throw damaged(name);
    if (packed === 0) return;
    const stored = this.#file.createReadStream({
      start,
      end: start + packed - 1,
      autoClose: false,
      highWaterMark: CHUNK_BYTES,
    });
    if (method === 0) {
      yield* stored as AsyncIterable<Buffer>;
      return;
    }
    const inflate = createInflateRaw({ chunkSize: CHUNK_BYTES });
    // Errors also reach the loop below.
    pipeline(stored, inflate, () => undefined);
    try {
      yield* inflate as AsyncIterable<Buffer>;
    } catch (error) {
      if (error instanceof Error && 'code' in error && String(error.code).startsWith('Z_'))
        throw damaged(`the content of ${name}`);
      throw error;
    }
  }
}

/** Parses the table of contents. */
function entriesOf(directory: Buffer): ReadonlyMap<string, Entry> {
  const entries = new Map<string, Entry>();
  for (let at = 0; at + 46 <= directory.length && directory.readUInt32LE(at) === 0x02_01_4b_50;) {
    const nameEnd = at + 46 + directory.readUInt16LE(at + 28);
    const entry = {
      isEncrypted: (directory.readUInt16LE(at + 8) & 1) === 1,
      method: directory.readUInt16LE(at + 10),
      crc: directory.readUInt32LE(at + 16),
      packed: directory.readUInt32LE(at + 20),
      bytes: directory.readUInt32LE(at + 24),
      at: directory.readUInt32LE(at + 42),
    };
    if (entry.packed === ZIP64 || entry.bytes === ZIP64 || entry.at === ZIP64) throw damaged('its table of contents');
    const key = keyOf(directory.toString('utf8', at + 46, nameEnd));
    // Of two files with one name, another program might show the other one.
    if (entries.has(key)) throw damaged(`it has ${key} twice`);
    entries.set(key, entry);
    at = nameEnd + directory.readUInt16LE(at + 30) + directory.readUInt16LE(at + 32);
  }
  return entries;
}

/** Returns the key of a name: case is ignored, and some programs write `\`. */
function keyOf(name: string): string {
  return name.replaceAll('\\', '/').toLowerCase();
}

/** Reads exactly this many bytes. */
async function readAt(file: FileHandle, at: number, length: number): Promise<Buffer> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, at);
  if (bytesRead < length) throw damaged('it is cut off');
  return buffer;
}
