import type { Readable } from 'node:stream';
import type { FileLoss } from '../contract/file-loss.ts';
import type { Outage } from './outage.ts';
import type { JoinPart } from './sound/join/join-parts.ts';
import type { Unfitness } from './unfit.ts';

/** A media file that is whole, checked and under its final name. */
export interface StoredFile {
  /** Name in the store: its stem and extension. */
  readonly key: string;
  readonly bytes: number;
  /** Hex. */
  readonly sha256: string;
  /** File type from its first bytes, without a dot: `mp3`, `wav`, `mp4`, `txt`, …; `bin` if unknown. */
  readonly extension: string;
  /** How long it plays, in seconds, as its own frames or index say; omitted for text, raw audio and unknown kinds. */
  readonly seconds?: number;
  /**
   * Why the file did not pass, although it is whole: it was paid for, so it is kept. Omitted if it passed all checks.
   */
  readonly unfit?: Unfitness;
}

/** Requirements on a body. */
export interface Expectation {
  /** Declared length, if any; any other length is an error. */
  readonly contentLength?: number;
  /** Declared media type, if any. Names raw audio, which has no signature; otherwise the bytes decide. */
  readonly contentType?: string;
  /** The expected family; a body that is no result at all (HTML, JSON, empty) is an error. */
  readonly family: 'audio' | 'video' | 'text';
  /** The requested format. Names raw audio if nothing else does. */
  readonly format?: string;
  /** For `text`: the extension of the file. Default `txt`. */
  readonly extension?: string;
}

/** A stored file as recorded. */
export type KeptFile = Omit<StoredFile, 'unfit'>;

/** Outcome of reusing a stored file: its copy, or how it differs from its record. */
export type Reused =
  { readonly type: 'reused'; readonly file: KeptFile } | { readonly type: 'missing' } | { readonly type: 'altered' };

/** A stored file to join with others, with its joining options. */
export interface StoredPart extends KeptFile, Omit<JoinPart, 'path' | 'extension'> {}

/**
 * Outcome of joining stored files. `damaged`: index of a file that differs from its record. `unjoinable`: the reason,
 * human-readable.
 */
export type Joined =
  | { readonly type: 'joined'; readonly file: StoredFile }
  | { readonly type: 'damaged'; readonly at: number; readonly is: FileLoss }
  | { readonly type: 'unjoinable'; readonly why: string };

/** A stored file on disk. */
export interface MeasuredFile {
  /** Identical for all names of one file. */
  readonly id: string;
  readonly bytes: number;
  /** Its names, here and elsewhere: its bytes are freed when the last one is removed. */
  readonly names: number;
  /** Nobody can fetch it, or only for a while. Default: false. */
  readonly isArchived?: boolean;
  /** When its content was written, by the clock of who keeps it, ms. */
  readonly writtenAt: number;
}

/**
 * Performs a disk write, and may retry it. The write rejects with `StoreUnwritable` if the disk is full. `growing` is
 * the folder where it takes space; by default it takes hardly any.
 */
export type Persist = <T>(write: () => Promise<T>, growing?: string) => Promise<T>;

/**
 * Why a URL may not live as long as it was asked to: S3 allows seven days; or it ends with the session of temporary
 * credentials, whose end is known or not.
 */
export type UrlLimit = 'seven-days' | 'session' | 'unknown-session';

/** How long a URL lives. */
export interface UrlLife {
  /** From now, ms; 0 if it is dead. */
  readonly livesMs: number;
  /** Absent if it lives as long as it was asked to. */
  readonly limit?: UrlLimit;
}

/** A URL from which anybody can fetch a file, without credentials. */
export interface SignedUrl extends UrlLife {
  readonly url: string;
}

/** How a store hands out URLs. */
export interface StoreUrls {
  /**
   * Puts a file of this machine under a key, whole or absent. Skips the upload if a fetchable file of this length
   * already has the key; the key identifies the content. Throws `StoreUnwritable`, also if the file does not have its
   * hash any more.
   */
  upload(file: { readonly path: string; readonly bytes: number; readonly sha256: string }, key: string): Promise<void>;
  /** A URL of the file for `lifetimeMs` from now, or as long as can be. */
  presign(key: string, lifetimeMs: number): Promise<SignedUrl>;
}

/** Keeps media files. Writes are whole or absent. */
export interface Store {
  /**
   * Claims the store for this owner if it is unclaimed, creating it if needed. Returns its owner. Throws
   * `StoreUnwritable`.
   */
  claim(owner: string): Promise<string>;
  /** Gives the claimed store this id if it has none. Returns the one that it has. Throws `StoreUnwritable`. */
  claimId(id: string): Promise<string>;
  /** Looks whether the claimed store answers and has the same owner. Throws `StoreUnwritable`. */
  requireStillThere(): Promise<void>;
  /**
   * Stores a body as `<stem>.<ext>`: receives all of it, checks, hashes and syncs it, and only then names it. Its first
   * bytes determine the extension. A whole file that fails a check (silent, of another kind) is kept all the same: see
   * {@link StoredFile.unfit}.
   *
   * Throws {@link UnfitBody}, or `StoreUnwritable` if the disk does not accept it, or has lost part of it (`LOST`).
   *
   * @param onReceived called when the whole body has arrived, before anything has the final name
   * @param persist performs each write of a large body that cannot be fetched again: it may wait for disk space and
   * retry the write while the body waits. Each write is synced, and the file's hash is verified at the end. By default
   * a failed write is final.
   */
  write(
    stem: string,
    body: Readable | Buffer,
    expectation: Expectation,
    onReceived?: () => void | Promise<void>,
    persist?: Persist,
  ): Promise<StoredFile>;
  /**
   * Finds the file stored under this stem, with this extension if given; hashes and checks it again. An incomplete file
   * must have been altered and counts as missing.
   */
  find(stem: string, expectation: Pick<Expectation, 'family' | 'extension'>): Promise<StoredFile | undefined>;
  /**
   * Stores a file again as `<stem>.<ext>`, if its bytes still have the recorded hash. Takes no space if the disk
   * supports hard links. Either name may be removed without the other. Throws `StoreUnwritable`.
   */
  reuse(file: KeptFile, stem: string): Promise<Reused>;
  /**
   * Measures the duration of a stored file in seconds, if it was never recorded; undefined if the file is missing,
   * incomplete, of a type without a duration, or cannot be read in time. Throws if the disk fails.
   */
  seconds(file: Pick<KeptFile, 'key' | 'bytes' | 'extension'>): Promise<number | undefined>;
  /**
   * Joins sound files, in order, into a new file `<stem>.<ext>`, as `joinSound` does; the files stay. Whole or absent,
   * like any other. Throws `StoreUnwritable`.
   */
  join(files: readonly StoredPart[], stem: string): Promise<Joined>;
  /** Absolute path of ffmpeg, or undefined if there is none. */
  ffmpeg(): Promise<string | undefined>;
  /** A readable stream of a stored file. Rejects with code `ENOENT` if there is none, and with `StoredFileRefused`. */
  read(key: string): Promise<Readable>;
  /** Absolute path of a stored file, if the driver keeps files on this machine. */
  pathOf(key: string): string | undefined;
  /** The keys of all files in a folder of the store. */
  list(folder: string): AsyncIterable<string>;
  /** The names of the folders at the top that begin like this, in any order. */
  folders(prefix: string): AsyncIterable<string>;
  /** Disk usage of these files, in order; undefined for a missing one. */
  measure(keys: readonly string[]): Promise<readonly (MeasuredFile | undefined)[]>;
  /** Removes these names. Other names of the same files stay, and keep their content. */
  remove(keys: readonly string[]): Promise<void>;
  /** Removes partial files that killed processes left: those that nobody has written to for an hour. Never fails. */
  sweep(): Promise<void>;
  /** Whether it answers, and how long operations wait while it does not. Absent where nothing is waited for. */
  readonly outage?: Outage;
  /** Absent where files have no URLs. */
  readonly urls?: StoreUrls;
  /** Waits for files that are being written, and accepts no more. May be called again. */
  close(): Promise<void>;
}
