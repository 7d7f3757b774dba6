import { createHash, randomUUID } from 'node:crypto';
import { open, opendir, rename, rm, stat } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { isAbsent } from './system-errors.ts';

/** Text is gathered up to this many characters before it is written. */
const BUFFERED = 256 * 1024;

/** Part files of dead processes are removed when they are older than this. */
const STALE_MS = 3_600_000;

const PART = /^\.voxbatch-[0-9a-f-]{36}\.part$/u;

/**
 * A name beside `path` that no other writer uses, on this machine or another. It does not contain the name of the file,
 * which may be as long as a name can be.
 */
export function partPath(path: string): string {
  return join(dirname(path), `.voxbatch-${randomUUID()}.part`);
}

/** Removes what killed projections left below the folder: part files that nobody has touched for an hour. */
export async function sweepParts(folder: string): Promise<void> {
  // Read bit by bit: a folder of 100,000 files asked for at once holds up everything else for half a second.
  for await (const entry of await opendir(folder, { bufferSize: 256 })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) await sweepParts(path);
    else if (PART.test(entry.name)) await removeStale(path);
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
 * A text file that is whole under its name, or not there: it is written beside it, synced, then renamed.
 * Either `seal` and then `publish`, or `abandon`.
 */
export class WholeFile {
  readonly path: string;
  readonly #part: string;
  readonly #handle: FileHandle;
  readonly #hash = createHash('sha256');
  #buffered = '';

  private constructor(path: string, part: string, handle: FileHandle) {
    this.path = path;
    this.#part = part;
    this.#handle = handle;
  }

  static async create(path: string): Promise<WholeFile> {
    const part = partPath(path);
    return new WholeFile(path, part, await open(part, 'wx'));
  }

  async write(text: string): Promise<void> {
    this.#buffered += text;
    if (this.#buffered.length >= BUFFERED) await this.#flush();
  }

  /** Writes the rest and syncs it to disk. Returns the sha256 of the content, hex. */
  async seal(): Promise<string> {
    await this.#flush();
    await this.#handle.sync();
    await this.#handle.close();
    return this.#hash.digest('hex');
  }

  /** Puts the sealed file under its name, in place of an earlier one. */
  async publish(): Promise<void> {
    await rename(this.#part, this.path);
  }

  /** Leaves nothing behind of a file that is not published; harmless at any time. */
  async abandon(): Promise<void> {
    // Closing twice is harmless too: a sealed handle is closed already.
    await this.#handle.close().catch(() => undefined);
    await rm(this.#part, { force: true });
  }

  async #flush(): Promise<void> {
    const bytes = Buffer.from(this.#buffered);
    this.#buffered = '';
    this.#hash.update(bytes);
    await this.#handle.writeFile(bytes);
  }
}
