import type { FileHandle } from 'node:fs/promises';

/** How much is read at once. */
const WINDOW_BYTES = 64 * 1024;

/** A file of which any part can be looked at, while little of it is in memory. Made for walks from its begin to its end. */
export class FileWindow {
  /** Length of the file. */
  readonly bytes: number;
  readonly #file: FileHandle;
  #start = 0;
  #window: Buffer = Buffer.alloc(0);

  constructor(file: FileHandle, bytes: number) {
    this.#file = file;
    this.bytes = bytes;
  }

  /** So many bytes from there, fewer at the end of the file. */
  async read(position: number, length: number): Promise<Buffer> {
    const wanted = Math.max(0, Math.min(length, this.bytes - position));
    const offset = position - this.#start;
    if (offset < 0 || offset + wanted > this.#window.length) {
      this.#window = await this.#readFrom(position, Math.max(wanted, WINDOW_BYTES));
      this.#start = position;
      return this.#window.subarray(0, wanted);
    }
    return this.#window.subarray(offset, offset + wanted);
  }

  /** The file from there to there, piece by piece. */
  async *pieces(start: number, end: number): AsyncGenerator<Buffer> {
    for (let at = start; at < end;) {
      const piece = await this.read(at, Math.min(WINDOW_BYTES, end - at));
      if (piece.length === 0) return;
      yield piece;
      at += piece.length;
    }
  }

  async #readFrom(position: number, length: number): Promise<Buffer> {
    const { buffer, bytesRead } = await this.#file.read(Buffer.allocUnsafe(length), 0, length, position);
    return buffer.subarray(0, bytesRead);
  }
}
