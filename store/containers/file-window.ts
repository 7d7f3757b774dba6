import type { FileHandle } from 'node:fs/promises';

/** Bytes per read. */
const WINDOW_BYTES = 64 * 1024;

/**
 * Random access to a file with little of it in memory, or to a body that is in memory anyway. Optimised for walks from
 * start to end.
 */
export class FileWindow {
  /** Length of the file. */
  readonly bytes: number;
  readonly #file: Pick<FileHandle, 'read'> | undefined;
  /** Position of the window in the file. */
  #start = 0;
  /** The bytes that are in memory. */
  #window: Buffer;

  /** @param window the first bytes; everything if there is no file */
  private constructor(bytes: number, window: Buffer, file?: Pick<FileHandle, 'read'>) {
    this.bytes = bytes;
    this.#window = window;
    this.#file = file;
  }

  static ofFile(file: Pick<FileHandle, 'read'>, bytes: number): FileWindow {
    return new FileWindow(bytes, Buffer.alloc(0), file);
  }

  static ofBody(body: Buffer): FileWindow {
    return new FileWindow(body.length, body);
  }

  /** Reads bytes from a position; returns fewer at the end of the file. */
  async read(position: number, length: number): Promise<Buffer> {
    const wanted = Math.max(0, Math.min(length, this.bytes - position));
    const offset = position - this.#start;
    if (this.#file !== undefined && (offset < 0 || offset + wanted > this.#window.length)) {
      this.#window = await readFrom(this.#file, position, Math.max(wanted, WINDOW_BYTES));
      this.#start = position;
      return this.#window.subarray(0, wanted);
    }
    return this.#window.subarray(offset, offset + wanted);
  }

  /** Streams a range of the file. */
  async *pieces(start = 0, end = this.bytes): AsyncGenerator<Buffer> {
    for (let at = start; at < end;) {
      const piece = await this.read(at, Math.min(WINDOW_BYTES, end - at));
      if (piece.length === 0) return;
      yield piece;
      at += piece.length;
    }
  }
}

async function readFrom(file: Pick<FileHandle, 'read'>, position: number, length: number): Promise<Buffer> {
  const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(length), 0, length, position);
  return buffer.subarray(0, bytesRead);
}
