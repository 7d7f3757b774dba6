import { createHash, randomUUID } from 'node:crypto';
import { open, opendir, rename, rm, stat } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { isAbsent } from './files.ts';

/** Characters to gather before a write. */
const BUFFERED = 256 * 1024;

/**
 * Writes a file that appears under its name complete or not at all: the content goes to a part file, is synced, and is
 * renamed. Call `write`, then `seal`, then `publish`; `abandon` removes a file that is not published.
 */
export class AtomicFile {
  readonly path: string;
  /** Path of the part file. */
  readonly part: string;
  readonly #handle: FileHandle;
  readonly #hash = createHash('sha256');
  #buffered = '';

  private constructor(path: string, part: string, handle: FileHandle) {
    this.path = path;
    this.part = part;
    this.#handle = handle;
  }

  static async create(path: string): Promise<AtomicFile> {
    const part = partPath(path);
    return new AtomicFile(path, part, await open(part, 'wx'));
  }

  /** Appends a text. */
  async write(text: string): Promise<void> {
    this.#buffered += text;
    if (this.#buffered.length >= BUFFERED) await this.#flush();
  }

  /** Appends bytes. */
  async writeBytes(bytes: Uint8Array): Promise<void> {
    await this.#flush();
    await this.#put(bytes);
  }

  /** Writes the rest and syncs it to disk. Returns the sha256 of the content, hex. */
  async seal(): Promise<string> {
    await this.#flush();
    await this.#handle.sync();
    await this.#handle.close();
    return this.#hash.digest('hex');
  }

  /** Renames the sealed file to its final name, replacing an earlier one. */
  async publish(): Promise<void> {
    await rename(this.part, this.path);
  }

  /** Removes an unpublished file; may be called at any time. */
  async abandon(): Promise<void> {
    // A sealed file is closed already; closing it twice fails harmlessly.
    await this.#handle.close().catch(() => undefined);
    await rm(this.part, { force: true });
  }

  async #flush(): Promise<void> {
    const text = this.#buffered;
    this.#buffered = '';
    if (text !== '') await this.#put(Buffer.from(text));
  }

  async #put(bytes: Uint8Array): Promise<void> {
    this.#hash.update(bytes);
    await this.#handle.writeFile(bytes);
  }
}

/** Age from which a part file belongs to a dead process and may be removed, ms. */
const STALE_MS = 3_600_000;

/** Names of part files; see {@link partPath}. */
const PART = /^\.voxbatch-[0-9a-f-]{36}\.part$/u;

/**
 * Returns a unique path beside `path` for its content until it is complete (a part file). No other writer uses it, on
 * this machine or another. It does not contain the file's name, which may already have the maximal length.
 */
export function partPath(path: string): string {
  return join(dirname(path), `.voxbatch-${randomUUID()}.part`);
}

/**
 * Removes part files that killed processes left in the folder, and below it if `isDeep`: those that nobody has touched
 * for an hour.
 */
export async function sweepParts(folder: string, isDeep = true): Promise<void> {
  // In small portions: reading 100,000 names at once blocks everything else for half a second.
  for await (const entry of await opendir(folder, { bufferSize: 256 })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) {
      if (isDeep) await sweepParts(path);
    } else if (PART.test(entry.name)) await removeStale(path);
  }
}

async function removeStale(path: string): Promise<void> {
  try {
    const { mtimeMs } = await stat(path);
    if (Date.now() - mtimeMs > STALE_MS) await rm(path, { force: true });
  } catch (error) {
    // Its writer may have published it meanwhile.
    if (!isAbsent(error)) throw error;
  }
}
