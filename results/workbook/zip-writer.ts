import { Readable, pipeline } from 'node:stream';
import { crc32, createDeflateRaw } from 'node:zlib';

/** Takes bytes in order. */
export type WriteBytes = (bytes: Uint8Array) => Promise<void>;

/** A size or offset above this needs another form of ZIP, which not every program reads. */
const MOST_BYTES = 0xff_ff_ff_ff;
/** Sizes follow the content; names are UTF-8. */
const FLAGS = 0x08_08;
const DEFLATED = 8;
const VERSION = 20;
/** 1980-01-01: the same content gives the same bytes. */
const DATE = 0x21;
/** Levels above take twice the time for a tenth of the size. */
const LEVEL = 3;

interface Entry {
  readonly name: Buffer;
  readonly at: number;
  readonly crc: number;
  readonly packed: number;
  readonly bytes: number;
}

/** An archive that would exceed 4 GB. */
export class ZipTooLarge extends Error {
  override readonly name = 'ZipTooLarge';
}

/** Writes a ZIP archive as a stream: its memory does not grow with its content. */
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
    let [crc, bytes] = [0, 0];
    const counted = async function* (): AsyncGenerator<Buffer> {
      for await (const text of texts) {
        const chunk = Buffer.from(text);
        crc = crc32(chunk, crc);
        bytes += chunk.length;
        yield chunk;
      }
    };
    const deflate = createDeflateRaw({ level: LEVEL });
    // Its error also ends the loop below.
    pipeline(Readable.from(counted()), deflate, () => undefined);
    for await (const chunk of deflate) await this.#put(chunk as Buffer);
    const entry = { name: nameBytes, at, crc, packed: this.#at - begin, bytes };
    if (bytes > MOST_BYTES) throw new ZipTooLarge();
    this.#entries.push(entry);
    await this.#put(sizesOf(entry));
  }

  /** Writes the list of files; the archive is then complete. */
  async end(): Promise<void> {
    const begin = this.#at;
    for (const entry of this.#entries) await this.#put(Buffer.concat([directoryLine(entry), entry.name]));
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
    if (this.#at > MOST_BYTES) throw new ZipTooLarge();
    await this.#write(bytes);
  }
}

function localHeader(name: Buffer): Buffer {
  const header = Buffer.alloc(30);
  header.writeUInt32LE(0x04_03_4b_50);
  writeCommon(header, 4, name);
  return header;
}

/** Version, flags, method and date, and the length of the name where both headers have it. */
function writeCommon(header: Buffer, at: number, name: Buffer): void {
  header.writeUInt16LE(VERSION, at);
  header.writeUInt16LE(FLAGS, at + 2);
  header.writeUInt16LE(DEFLATED, at + 4);
  header.writeUInt16LE(DATE, at + 8);
  header.writeUInt16LE(name.length, at + 22);
}

function sizesOf({ crc, packed, bytes }: Entry): Buffer {
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

function directoryLine(entry: Entry): Buffer {
  const line = Buffer.alloc(46);
  line.writeUInt32LE(0x02_01_4b_50);
  line.writeUInt16LE(VERSION, 4);
  writeCommon(line, 6, entry.name);
  writeSizes(line, 16, entry);
  line.writeUInt32LE(entry.at, 42);
  return line;
}
