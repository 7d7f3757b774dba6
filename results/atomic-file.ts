import { createHash, randomUUID } from 'node:crypto';
import { open, opendir, rename, rm, stat } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { isAbsent } from './files.ts';

/** Characters to gather before a write. */
const BUFFERED = 256 * 1024;

/** Older part files belong to dead processes and are removed. */
const STALE_MS = 3_600_000;

const PART = /^\.voxbatch-[0-9a-f-]{36}\.part$/u;

/**
 * A unique name beside `path` that no other writer uses, on this machine or another. It does not contain the file's
 * name, which may already have the maximal length.
 */
export function partPath(path: string): string {
  return join(dirname(path), `.voxbatch-${randomUUID()}.part`);
}

/**
 * Removes leftovers of killed projections in the folder, and below it if `isDeep`: part files that nobody has touched
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
    // Its own writer may have finished it meanwhile.
    if (!isAbsent(error)) throw error;
  }
}

/**
 * A file that is whole under its name, or absent: written beside it, synced, then renamed. Call `seal` and then
 * `publish`, or `abandon`.
 */
export class AtomicFile {
  readonly path: string;
  /** Where its content is until it is published. */
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

  async write(text: string): Promise<void> {
    this.#buffered += text;
    if (this.#buffered.length >= BUFFERED) await this.#flush();
  }

  /** Writes bytes as they are. */
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
    // Closing twice does no harm: a sealed handle is already closed.
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
