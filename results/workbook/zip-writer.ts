import { Readable, pipeline } from 'node:stream';
import { crc32, createDeflateRaw } from 'node:zlib';

/** Writes the next bytes of a file. */
export type WriteBytes = (bytes: Uint8Array) => Promise<void>;

/** Max size or offset: above it, the ZIP64 format is needed, which not every program reads. */
const MAX_BYTES = 0xff_ff_ff_ff;
/** Flags of every file: sizes follow the content (bit 3), names are UTF-8 (bit 11). */
const FLAGS = 0x08_08;
/** Compression method. */
const DEFLATED = 8;
/** Version needed to extract: 2.0. */
const VERSION = 20;
/** Date of every file, 1980-01-01, so that the same content gives the same bytes. */
const DATE = 0x21;
/** Compression level: higher ones take twice the time for a tenth of the size. */
const LEVEL = 3;

/** A file of the archive. */
interface Entry {
  readonly name: Buffer;
  /** Offset of its header in the archive. */
  readonly at: number;
  /** CRC-32 of its content. */
  readonly crc: number;
  /** Compressed size in bytes. */
  readonly packed: number;
  /** Uncompressed size in bytes. */
  readonly bytes: number;
}

/** Thrown for an archive that would exceed 4 GB. */
export class ZipTooLarge extends Error {
  override readonly name = 'ZipTooLarge';
}

/** Writes a ZIP archive as a stream, in constant memory: call `add` for each file, then `end`. */
export class ZipWriter {
  readonly #write: WriteBytes;
  readonly #entries: Entry[] = [];
  #at = 0;

  constructor(write: WriteBytes) {
    this.#write = write;
  }

  /** Adds a file. Throws {@link ZipTooLarge}. */
  async add(name: string, texts: AsyncIterable<string> | Iterable<string>): Promise<void> {
    const at = this.#at;
    const nameBytes = Buffer.from(name);
    await this.#put(Buffer.concat([localHeader(nameBytes), nameBytes]));
    const begin = this.#at;
    let crc = 0;
    let bytes = 0;
    const counted = async function* (): AsyncGenerator<Buffer> {
      for await (const text of texts) {
        const chunk = Buffer.from(text);
        crc = crc32(chunk, crc);
        bytes += chunk.length;
        yield chunk;
      }
    };
    const deflate = createDeflateRaw({ level: LEVEL });
    // An error of the pipeline also ends the loop below.
    pipeline(Readable.from(counted()), deflate, () => undefined);
    for await (const chunk of deflate) await this.#put(chunk as Buffer);
    const entry = { name: nameBytes, at, crc, packed: this.#at - begin, bytes };
    if (bytes > MAX_BYTES) throw new ZipTooLarge();
    this.#entries.push(entry);
    await this.#put(dataDescriptor(entry));
  }

  /** Writes the central directory; the archive is then complete. */
  async end(): Promise<void> {
    const begin = this.#at;
    for (const entry of this.#entries) await this.#put(Buffer.concat([directoryEntry(entry), entry.name]));
    const end = Buffer.alloc(22);
    end.writeUInt32LE(0x06_05_4b_50);
    end.writeUInt16LE(this.#entries.length, 8);
    end.writeUInt16LE(this.#entries.length, 10);
    end.writeUInt32LE(this.#at - begin, 12);
    end.writeUInt32LE(begin, 16);
    await this.#put(end);
  }

  async #put(bytes: Buffer): Promise<void> {
    this.#at += bytes.length;
    if (this.#at > MAX_BYTES) throw new ZipTooLarge();
    await this.#write(bytes);
  }
}

/** Returns the header before a file's content. */
function localHeader(name: Buffer): Buffer {
  const header = Buffer.alloc(30);
  header.writeUInt32LE(0x04_03_4b_50);
  writeCommon(header, 4, name);
  return header;
}

/** Writes the fields that local header and directory entry share: version, flags, method, date, length of the name. */
function writeCommon(header: Buffer, at: number, name: Buffer): void {
  header.writeUInt16LE(VERSION, at);
  header.writeUInt16LE(FLAGS, at + 2);
  header.writeUInt16LE(DEFLATED, at + 4);
  header.writeUInt16LE(DATE, at + 8);
  header.writeUInt16LE(name.length, at + 22);
}

/** Returns the data descriptor after a file's content. */
function dataDescriptor({ crc, packed, bytes }: Entry): Buffer {
  const sizes = Buffer.alloc(16);
  sizes.writeUInt32LE(0x08_07_4b_50);
  writeSizes(sizes, 4, { crc, packed, bytes });
  return sizes;
}

function writeSizes(into: Buffer, at: number, { crc, packed, bytes }: Omit<Entry, 'name' | 'at'>): void {
  into.writeUInt32LE(crc, at);
  into.writeUInt32LE(packed, at + 4);
  into.writeUInt32LE(bytes, at + 8);
}

/** Returns a file's entry in the central directory, without its name. */
function directoryEntry(entry: Entry): Buffer {
  const line = Buffer.alloc(46);
  line.writeUInt32LE(0x02_01_4b_50);
  line.writeUInt16LE(VERSION, 4);
  writeCommon(line, 6, entry.name);
  writeSizes(line, 16, entry);
  line.writeUInt32LE(entry.at, 42);
  return line;
}
