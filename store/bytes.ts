import type { Readable } from 'node:stream';
import type { OwnedFolder, StoreMarks } from './owner-file.ts';
import type { Outage } from './outage.ts';
import type { KeptFile, MeasuredFile, Reused, SignedUrl, StoredFile } from './store.ts';

/** Content to store, with its length in bytes and its hash in hex. `from`: the bytes, or the path of a local file. */
export interface Content extends Pick<StoredFile, 'bytes' | 'sha256'> {
  readonly from: Uint8Array | string;
}

/** A range of a file's bytes, from 0, both ends included. */
export interface FileRange {
  readonly first: number;
  readonly last: number;
}

/** A local copy of a stored file, for programs that need a path. */
export interface Lease {
  readonly path: string;
  /** Removes the copy, if it is one; the stored file stays. Never fails. */
  release(): Promise<void>;
}

/** Result of {@link Bytes.probe}, if every operation works. */
export interface Probed extends StoreMarks {
  /** Why the server cannot copy objects, so that this machine downloads and uploads them; undefined if it can. */
  readonly copyProblem?: string | undefined;
}

/**
 * The driver of a place that keeps bytes under keys: a folder (`folder-bytes.ts`) or a bucket (`s3/s3-bytes.ts`).
 * `media-store.ts` adds what is done to media, and has checked all keys (`requireSafe`). A key has its complete content
 * or does not exist, whatever is killed.
 *
 * All operations throw `StoreUnwritable` if the place cannot be used. If it only does not answer for now, they wait,
 * see {@link Bytes.outage}.
 */
export interface Bytes {
  /**
   * The local folder that has the files, if there is one. Media threads then work on the files themselves
   * (`work-in-folder.ts`); otherwise on local copies that they lease (`work-on-copies.ts`).
   */
  readonly folder?: OwnedFolder;
  /** The local folder for incomplete bodies. The first of them creates it. */
  readonly parts: OwnedFolder;
  /** See `Store.claim` (`store.ts`). */
  claim(owner: string): Promise<string>;
  /** See `Store.claimId` (`store.ts`). */
  claimId(id: string): Promise<string>;
  /** Tries every operation on files of its own, and removes them. Absent for a folder, which needs no such test. */
  readonly probe?: () => Promise<Probed>;
  /** Checks that the claimed place still exists: otherwise each of its files would seem lost, and be paid for again. */
  requireStillThere(): Promise<void>;
  /** Stores content under a key, completely or not at all. Replaces any earlier content. */
  put(key: string, content: Content): Promise<void>;
  /**
   * Streams a file, or a range of it. Rejects with code `ENOENT` if there is none, and with `StoredFileRefused` if the
   * place does not return its content.
   */
  read(key: string, range?: FileRange): Promise<Readable>;
  /** Returns a local copy of a file; undefined if there is none. Throws `StoredFileRefused`. */
  lease(key: string): Promise<Lease | undefined>;
  /** Stores a file under a further key, if it still has the recorded content. */
  copy(file: KeptFile, key: string): Promise<Reused['type']>;
  /** See `StoreUrls.presign` (`store.ts`). Absent where files have no URLs. */
  readonly presign?: (key: string, lifetimeMs: number) => Promise<SignedUrl>;
  /** Retries the operations while the place does not answer. Absent for a folder, whose errors are final. */
  readonly outage?: Outage;
  /** Measures a file; undefined for a missing one. */
  stat(key: string): Promise<MeasuredFile | undefined>;
  /** Lists the keys with this prefix, in any order. `<folder>/` lists a folder with its subfolders. */
  list(prefix: string): AsyncIterable<string>;
  /** Lists the names of the top-level folders with this prefix, in any order. */
  folders(prefix: string): AsyncIterable<string>;
  /** Removes keys; a missing one counts as removed. */
  remove(keys: readonly string[]): Promise<void>;
  /** Removes unfinished files that killed processes have left. Never fails. */
  sweep(): Promise<void>;
  close(): Promise<void>;
}
