import type { Readable } from 'node:stream';
import type { OwnedFolder, StoreMarks } from './owner-file.ts';
import type { Outage } from './outage.ts';
import type { KeptFile, MeasuredFile, Reused, SignedUrl, StoredFile } from './store.ts';

/** Content to be put: in memory, or a local file. Its length and hash are known before it is put. */
export interface Content extends Pick<StoredFile, 'bytes' | 'sha256'> {
  readonly from: Uint8Array | string;
}

/** Bytes of a file, both ends included. */
export interface FileRange {
  readonly first: number;
  readonly last: number;
}

/** A local copy of a stored file, for programs that need a path. */
export interface Lease {
  readonly path: string;
  /** Gives the copy back. The stored file stays. Never fails. */
  release(): Promise<void>;
}

/** What a place says of itself once all was tried there that a store needs. */
export interface Probed extends StoreMarks {
  /** Why the server copies nothing itself, so that this machine does; undefined if it does. */
  readonly copyProblem?: string | undefined;
}

/**
 * Keeps bytes under names, and knows nothing of media. Names are checked before (`requireSafe`). A name has all of its
 * content or does not exist, whatever is killed or cut.
 *
 * All operations throw `StoreUnwritable` if the place cannot be used, and wait for one that only does not answer for a
 * moment.
 */
export interface Bytes {
  /**
   * The folder of this machine that has the files, if there is one. Media threads then work on the files themselves
   * (`work-in-folder.ts`): nothing is copied. Otherwise they work on leased copies (`work-on-copies.ts`).
   */
  readonly folder?: OwnedFolder;
  /** A folder of this machine for bodies that are not complete yet; created when first needed. */
  partsIn(): Promise<OwnedFolder>;
  /** See `Store.claim`. */
  claim(owner: string): Promise<string>;
  /** See `Store.claimId`. */
  claimId(id: string): Promise<string>;
  /** Tries all that a store needs of its place, and leaves nothing there. Absent where nothing can be missing. */
  readonly probe?: () => Promise<Probed>;
  /** Checks that the claimed place is still there: otherwise each of its files would seem lost. */
  requireStillThere(): Promise<void>;
  /** Puts content under a name, whole or not at all; replaces what has that name. */
  put(key: string, content: Content): Promise<void>;
  /**
   * A stream of a file, or of some of its bytes, both ends included. Rejects with code `ENOENT` if there is none, and
   * with `StoredFileRefused`.
   */
  read(key: string, range?: FileRange): Promise<Readable>;
  /** A local copy of a file; undefined if there is none. Throws `StoredFileRefused`. */
  lease(key: string): Promise<Lease | undefined>;
  /** Stores a file under a further name, if it still has the recorded content. */
  copy(file: KeptFile, key: string): Promise<Reused['type']>;
  /** See `StoreUrls.presign`. Absent where files have no URLs. */
  readonly presign?: (key: string, lifetimeMs: number) => Promise<SignedUrl>;
  /** Whether the place answers, and how long operations wait while it does not. Absent where nothing is waited for. */
  readonly outage?: Outage;
  /** Space taken by a file; undefined for a missing one. */
  stat(key: string): Promise<MeasuredFile | undefined>;
  /** The keys that begin like this, in any order: with `<folder>/`, all files of a folder and those below it. */
  list(prefix: string): AsyncIterable<string>;
  /** The names of the folders at the top that begin like this, in any order. */
  folders(prefix: string): AsyncIterable<string>;
  /** Removes names; a missing one counts as removed. */
  remove(keys: readonly string[]): Promise<void>;
  /** Removes what killed processes have left unfinished. Never fails. */
  sweep(): Promise<void>;
  close(): Promise<void>;
}
