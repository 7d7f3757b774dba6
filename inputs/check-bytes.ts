import { isUtf8 } from 'node:buffer';
import { createHash, hash } from 'node:crypto';
import type { ManifestProblem } from '../contract/manifest-problems.ts';
import { createReadStream } from 'node:fs';
import { Readable } from 'node:stream';
import { sha256Of } from './regular-file.ts';

// What the readers of all formats (`read-csv.ts`, `read-jsonl.ts`, `workbook/read-spooled.ts`) share: the source of
// bytes, their check, and the form of records.

const LF = 10;
const CR = 13;
const UTF8_BOM = Buffer.from([0xef, 0xbb, 0xbf]);

/** The part of a chunk that can be parsed, and the problem after it, if any, which ends the reading. */
export interface CheckedBytes {
  readonly bytes: Buffer;
  readonly problem?: ManifestProblem;
}

/**
 * Checks the bytes of a text file before they are parsed: hashes all of them (sha256), removes a byte order mark, and
 * reports the first byte that is NUL or not UTF-8, with its line. Holds back at most three bytes: a character that a
 * chunk cuts off.
 */
export class ByteCheck {
  readonly #digest = createHash('sha256');
  #pending: Buffer = Buffer.alloc(0);
  #atStart = true;
  /** Line breaks so far. */
  #breaks = 0;
  #endsInCr = false;

  /** Accepts the next chunk of the file. The first one must hold at least three bytes if the file does. */
  accept(chunk: Buffer): CheckedBytes {
    this.#digest.update(chunk);
    let bytes = this.#pending.length === 0 ? chunk : Buffer.concat([this.#pending, chunk]);
    if (this.#atStart) {
      this.#atStart = false;
      if (isUtf16(bytes)) return { bytes: Buffer.alloc(0), problem: encodingProblem(1, 'UTF-16') };
      if (bytes.subarray(0, 3).equals(UTF8_BOM)) bytes = bytes.subarray(3);
    }
    const end = bytes.length - cutCharacter(bytes);
    this.#pending = Buffer.from(bytes.subarray(end));
    bytes = bytes.subarray(0, end);

    const nul = bytes.indexOf(0);
    const valid = isUtf8(bytes);
    if (nul < 0 && valid) {
      this.#count(bytes);
      return { bytes };
    }
    const badLine = valid ? bytes.length : startOfBadLine(bytes);
    const good = bytes.subarray(0, nul < 0 ? badLine : Math.min(nul, badLine));
    this.#count(good);
    const line = this.#breaks + 1;
    return {
      bytes: good,
      problem: nul >= 0 && nul < badLine ? nulProblem(line) : encodingProblem(line, 'other bytes'),
    };
  }

  /** Returns the problem at the end of the file, if any. */
  end(): ManifestProblem | undefined {
    return this.#pending.length === 0
      ? undefined
      : encodingProblem(this.#breaks + 1, 'a file that ends in the middle of a character');
  }

  /** Returns the sha256 of all bytes so far, in hex. Call it once, at the end. */
  digest(): string {
    return this.#digest.digest('hex');
  }

  /** Counts line breaks: LF, CR LF, or CR. Few files have a CR, and the search is native. */
  #count(bytes: Buffer): void {
    if (bytes.length === 0) return;
    const rest = this.#endsInCr && bytes[0] === LF ? bytes.subarray(1) : bytes;
    for (let at = rest.indexOf(LF); at >= 0; at = rest.indexOf(LF, at + 1)) {
      if (rest[at - 1] !== CR) this.#breaks++;
    }
    for (let at = rest.indexOf(CR); at >= 0; at = rest.indexOf(CR, at + 1)) this.#breaks++;
    this.#endsInCr = bytes.at(-1) === CR;
  }
}

function isUtf16(bytes: Buffer): boolean {
  const [first, second] = bytes;
  return (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);
}

/** Returns how many bytes at the end belong to a character that continues in the next chunk. */
function cutCharacter(bytes: Buffer): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (byte < 0x80) return 0;
    if (byte >= 0xc0) {
      const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2;
      return length > back ? back : 0;
    }
  }
  return 0;
}

/** Returns the start of the first line that is not UTF-8. CR and LF are never part of a longer character. */
function startOfBadLine(bytes: Buffer): number {
  let start = 0;
  for (let at = 0; at < bytes.length; at++) {
    if (bytes[at] !== LF && bytes[at] !== CR) continue;
    if (!isUtf8(bytes.subarray(start, at))) return start;
    start = at + 1;
  }
  return start;
}

function encodingProblem(line: number, got: string): ManifestProblem {
  const expected = 'UTF-8 (save the file as "CSV UTF-8"); the rest was not checked';
  return { line, id: '', column: '', expected, got, code: 'encoding' };
}

function nulProblem(line: number): ManifestProblem {
  const expected = 'text without NUL characters (a file full of them is UTF-16: save it as "CSV UTF-8")';
  return { line, id: '', column: '', expected, got: 'a NUL character', code: 'nul' };
}

/** The source of a manifest's bytes. */
export interface ManifestBytes {
  /** The file that holds them. */
  readonly path: string;
  /** The content itself if there is no file; the path is then empty. */
  readonly text?: string;
}

/** Reads the bytes of a manifest. `atOnce`: bytes per read of a file. */
export function bytesOf({ path, text }: ManifestBytes, atOnce: number): AsyncIterable<Buffer> {
  return text === undefined ? createReadStream(path, { highWaterMark: atOnce }) : Readable.from([Buffer.from(text)]);
}

/** Returns the sha256 of a manifest's bytes, in hex. */
export async function digestOfBytes({ path, text }: ManifestBytes): Promise<string> {
  return text === undefined ? sha256Of(path) : hash('sha256', text, 'hex');
}

/** Max bytes of a record. A longer one ends the reading. */
export const MAX_RECORD_BYTES = 10 * 1024 * 1024;

/** Max columns of a manifest. More are a mistake, such as JSON lines that use ids as keys. */
export const MAX_COLUMNS = 1000;

/** Items that a format reader yields, in file order. */
export type RawItem =
  /** New columns: the complete header of a table, or the new keys of a JSON line. */
  | { readonly type: 'columns'; readonly line: number; readonly names: readonly string[] }
  /** Cells in the order of all columns so far; `line` is the physical line of the first of them. */
  | { readonly type: 'record'; readonly line: number; readonly cells: readonly string[] }
  /** Something that is not a record. After some problems the rest of the file cannot be read; the message says so. */
  | { readonly type: 'problem'; readonly problem: ManifestProblem }
  /** The last item: sha256 of the bytes that were read, hex. */
  | { readonly type: 'end'; readonly digest: string };
