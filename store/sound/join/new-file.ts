import { open, type FileHandle } from 'node:fs/promises';
import { FileWindow } from '../../containers/file-window.ts';
import { onDisk } from '../../folders.ts';

/** Bytes written at once. */
const PIECE_BYTES = 64 * 1024;

/** A new file that is written from start to end. Disk errors are thrown as `StoreUnwritable`. */
export class NewFile {
  readonly #path: string;
  readonly #file: FileHandle;

  private constructor(path: string, file: FileHandle) {
    this.#path = path;
    this.#file = file;
  }

  /** Creates a file, lets `fill` write it, and closes it. The file must not exist. */
  static async write(path: string, fill: (file: NewFile) => Promise<void>): Promise<void> {
    const file = await onDisk(path, () => open(path, 'wx', 0o644));
    try {
      await fill(new NewFile(path, file));
    } finally {
      await file.close();
    }
  }

  async append(bytes: Buffer): Promise<void> {
    await onDisk(this.#path, () => this.#file.appendFile(bytes));
  }

  /** Appends the same bytes several times. */
  async repeat(bytes: Buffer, times: number): Promise<void> {
    const atOnce = Math.max(1, Math.floor(PIECE_BYTES / bytes.length));
    const piece = Buffer.concat(Array.from({ length: Math.min(times, atOnce) }, () => bytes));
    for (let left = times; left > 0; left -= atOnce) {
      await this.append(left >= atOnce ? piece : piece.subarray(0, left * bytes.length));
    }
  }
}

/** Opens a file, lets `read` read it, and closes it. */
export async function withFile<T>(path: string, read: (file: FileWindow) => Promise<T>): Promise<T> {
  const file = await open(path, 'r');
  try {
    return await read(FileWindow.ofFile(file, (await file.stat()).size));
  } finally {
    await file.close();
  }
}
