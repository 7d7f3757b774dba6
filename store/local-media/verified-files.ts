import { UNAVAILABLE, type KnownFile } from '../local-file.ts';
import { createHash } from 'node:crypto';
import { constants, type BigIntStats } from 'node:fs';
import { open, realpath, type FileHandle } from 'node:fs/promises';
import pLimit from 'p-limit';
import { MediaChanged } from './media-links.ts';

/** An open file whose content was verified. */
export interface VerifiedFile {
  readonly handle: FileHandle;
  /** Returns false once somebody wrote to the file. */
  isUnchanged(): Promise<boolean>;
}

/** Bytes hashed at once. */
const CHUNK_BYTES = 256 * 1024;
/** Max files whose hash is remembered. */
const MAX_KNOWN = 10_000;

/**
 * Opens local files, and verifies that they have the content that their row was checked with. Hashes each state of a
 * file once, since a thousand rows may name one video. A state is the file's identity, size and times, which every
 * write changes.
 */
export class VerifiedFiles {
  readonly #hashes = new Map<string, Promise<string>>();
  /** More concurrent reads would not be faster on one disk. */
  readonly #atOnce = pLimit(2);

  /** Throws {@link MediaChanged}, or a system error that may be temporary. The caller closes the handle. */
  async open(file: KnownFile): Promise<VerifiedFile> {
    const handle = await openWithoutLinks(file.path);
    try {
      const state = await stateOf(handle, file);
      const sha256 = await this.#hashOf(state, handle);
      if (sha256 !== file.sha256 || (await stateOf(handle, file)) !== state) throw changed(file);
      return { handle, isUnchanged: async () => (await stateOf(handle, file).catch(() => '')) === state };
    } catch (error) {
      await handle.close();
      throw error;
    }
  }

  #hashOf(state: string, handle: FileHandle): Promise<string> {
    const before = this.#hashes.get(state);
    if (before !== undefined) return before;
    const hash = this.#atOnce(() => hashWhole(handle));
    if (this.#hashes.size >= MAX_KNOWN) this.#hashes.clear();
    this.#hashes.set(state, hash);
    hash.catch(() => this.#hashes.delete(state));
    return hash;
  }
}

/** Opens a file without following symbolic links. */
async function openWithoutLinks(path: string): Promise<FileHandle> {
  try {
    // A symbolic link that was added since the row was checked could lead anywhere.
    if ((await realpath(path)) !== path) throw new MediaChanged(path, 'is behind a symbolic link now');
    return await open(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW);
  } catch (error) {
    const code = String((error as { code?: unknown } | null)?.code);
    if (UNAVAILABLE.has(code)) throw new MediaChanged(path, `cannot be opened any more (${code})`);
    throw error;
  }
}

/**
 * Returns a text that changes with every write to the file. Throws {@link MediaChanged} if the size differs already.
 */
async function stateOf(handle: FileHandle, file: KnownFile): Promise<string> {
  const facts: BigIntStats = await handle.stat({ bigint: true });
  if (!facts.isFile()) throw new MediaChanged(file.path, 'is no file any more');
  if (facts.size !== BigInt(file.bytes)) throw changed(file);
  return [facts.dev, facts.ino, facts.size, facts.mtimeNs, facts.ctimeNs].join(' ');
}

async function hashWhole(handle: FileHandle): Promise<string> {
  const hash = createHash('sha256');
  const buffer = Buffer.alloc(CHUNK_BYTES);
  for (let at = 0; ;) {
    const { bytesRead } = await handle.read(buffer, 0, CHUNK_BYTES, at);
    if (bytesRead === 0) return hash.digest('hex');
    hash.update(buffer.subarray(0, bytesRead));
    at += bytesRead;
  }
}

function changed({ path }: KnownFile): MediaChanged {
  return new MediaChanged(path, 'has changed since its row was checked');
}
