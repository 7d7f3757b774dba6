import { createHash, type Hash } from 'node:crypto';
import { open, rm, type FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Readable } from 'node:stream';
import { onDisk, type Folders } from './folders.ts';
import type { MediaJob } from './media-work.ts';
import type { OwnedFolder } from './owner-file.ts';
import { FILE_MODE } from './put-in-folder.ts';
import { HEAD_BYTES, sniff } from './sniff.ts';
import type { Expectation, Persist } from './store.ts';
import { UnfitBody } from './unfit.ts';

/** A body up to this size stays in memory; a larger one is streamed to a part file. */
const SMALL_BYTES = 1024 * 1024;
/** A large body is written in chunks of this size. */
const GATHERED_BYTES = 256 * 1024;

/** Where to write a body that is too large for memory. */
export interface PartPlace {
  /** Path of the part file. */
  readonly path: string;
  /** The store's folder, or the scratch folder, that the path is in. */
  readonly store: OwnedFolder;
  readonly folders: Folders;
  /**
   * Performs each write, and may retry it, if the body cannot be fetched again because it is the answer to a paid
   * request. Undefined if it can be fetched again.
   */
  readonly persist: Persist | undefined;
}

/** A small body in memory, or the path of a large one's part file, with its hash if it cannot be fetched again. */
export interface Received extends Pick<MediaJob, 'sha256'> {
  readonly from: Uint8Array | string;
}

/**
 * Receives a body: a small one in memory, a large one into a part file. If the body cannot be fetched again, each write
 * is synced.
 *
 * Throws {@link UnfitBody} if the body breaks off, does not have its declared length, or is no result at all, such as
 * an error page. Passes cancellations through. No part file remains then.
 */
export async function receiveBody(
  body: Readable | Buffer,
  expectation: Expectation,
  place: PartPlace,
): Promise<Received> {
  const receiver = new Receiver(expectation, place);
  try {
    if (Buffer.isBuffer(body)) await receiver.add(body);
    else for await (const piece of piecesOf(body, receiver)) await receiver.add(piece);
    return await receiver.finish();
  } catch (error) {
    await receiver.abandon();
    throw error;
  }
}

/** Yields the chunks as they arrive. Turns errors of the source into {@link UnfitBody}. */
async function* piecesOf(body: Readable, received: { readonly bytes: number }): AsyncGenerator<Buffer> {
  // An error after the last read would end the process.
  body.on('error', () => undefined);
  try {
    for await (const piece of body as AsyncIterable<Buffer>) yield piece;
  } catch (error) {
    const { code, name } = error as NodeJS.ErrnoException;
    if (error instanceof UnfitBody || name === 'AbortError' || name === 'CanceledError') throw error;
    throw new UnfitBody(`The body broke off after ${received.bytes} bytes (${code ?? name}).`, { cause: error });
  }
}

/** Gathers the chunks of one body. */
class Receiver {
  /** Bytes received so far. */
  bytes = 0;
  readonly #expectation: Expectation;
  readonly #place: PartPlace;
  /** Chunks that were not written yet, and their bytes. */
  #pieces: Buffer[] = [];
  #gathered = 0;
  /** Bytes in the file. */
  #written = 0;
  #file: FileHandle | undefined;
  /** Hash of the written bytes: after retried writes, the file may differ from it without any error. */
  readonly #hash: Hash | undefined;

  constructor(expectation: Expectation, place: PartPlace) {
    this.#expectation = expectation;
    this.#place = place;
    if (place.persist !== undefined) this.#hash = createHash('sha256');
  }

  async add(piece: Buffer): Promise<void> {
    const { contentLength } = this.#expectation;
    this.bytes += piece.length;
    if (contentLength !== undefined && this.bytes > contentLength) {
      throw new UnfitBody(`Expected ${contentLength} bytes, as declared, but more came.`);
    }
    this.#pieces.push(piece);
    this.#gathered += piece.length;
    if (this.#file === undefined ? this.#gathered > SMALL_BYTES : this.#gathered > GATHERED_BYTES) await this.#write();
  }

  async finish(): Promise<Received> {
    const { contentLength } = this.#expectation;
    if (contentLength !== undefined && this.bytes !== contentLength) {
      throw new UnfitBody(`Expected ${contentLength} bytes, as declared, but ${this.bytes} came.`);
    }
    // Shared memory, which the media thread gets without losing it here: if that thread dies, another repeats the job.
    if (this.#file === undefined) return { from: this.#copy(new SharedArrayBuffer(this.#gathered)) };
    await this.#write();
    const file = this.#file;
    const { path } = this.#place;
    // Not repeated if it fails: each write was synced, and the hash would show a loss.
    await this.#persist(() => onDisk(path, () => file.close()));
    return { from: path, sha256: this.#hash?.digest('hex') };
  }

  /** Removes the part file. */
  async abandon(): Promise<void> {
    if (this.#file === undefined) return;
    await this.#file.close().catch(() => undefined);
    // A file that cannot be removed now is swept later.
    await rm(this.#place.path, { force: true }).catch(() => undefined);
  }

  /** Copies the gathered chunks into memory of their own, because several bodies may share that of a chunk. */
  #copy(memory: SharedArrayBuffer | ArrayBuffer): Uint8Array {
    const bytes = new Uint8Array(memory);
    let at = 0;
    for (const piece of this.#pieces) {
      bytes.set(piece, at);
      at += piece.length;
    }
    return bytes;
  }

  /** Writes the gathered chunks to the part file. */
  async #write(): Promise<void> {
    const { path } = this.#place;
    const bytes = this.#copy(new ArrayBuffer(this.#gathered));
    this.#pieces = [];
    this.#gathered = 0;
    this.#hash?.update(bytes);
    await this.#persist(async () => {
      const file = (this.#file ??= await this.#begin(Buffer.from(bytes.buffer, 0, HEAD_BYTES)));
      await onDisk(path, async () => {
        await writeAt(file, bytes, this.#written);
        // After a failed sync, the next may succeed without writing anything, so a retry writes the bytes again, too.
        if (this.#hash !== undefined) await file.datasync();
      });
    }, this.#place.store.root);
    this.#written += bytes.length;
  }

  /** Performs a disk write, by way of `persist` if there is one. `growing`: see {@link Persist}. */
  #persist(write: () => Promise<void>, growing?: string): Promise<void> {
    const { persist } = this.#place;
    return persist === undefined ? write() : persist(write, growing);
  }

  /** Creates the part file. */
  async #begin(head: Buffer): Promise<FileHandle> {
    // Throws early: a large HTML page need not be received to its end.
    sniff(head, this.#expectation);
    const { path, store, folders } = this.#place;
    return folders.within(dirname(path), store, () => onDisk(path, () => open(path, 'wx', FILE_MODE)));
  }
}

/** Writes all bytes at a fixed position, so that a write that failed half-way can be repeated. */
async function writeAt(file: FileHandle, bytes: Uint8Array, place: number): Promise<void> {
  for (let at = 0; at < bytes.length;) at += (await file.write(bytes, at, bytes.length - at, place + at)).bytesWritten;
}
