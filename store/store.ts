import type { Readable } from 'node:stream';
import type { FileLoss } from '../contract/file-loss.ts';
import type { Outage } from './outage.ts';
import type { JoinPart } from './sound/join/join-parts.ts';
import type { Unfitness } from './unfit.ts';

/** A media file that is complete, checked and stored under its key. */
export interface StoredFile {
  /** Name in the store: its stem, a dot, and its extension. See `layout.ts` for stems. */
  readonly key: string;
  readonly bytes: number;
  /** Hex. */
  readonly sha256: string;
  /** File type from its first bytes, without a dot: `mp3`, `wav`, `mp4`, `txt`, …; `bin` if unknown. */
  readonly extension: string;
  /** How long it plays, in seconds, as its own frames or index say; omitted for text, raw audio and unknown kinds. */
  readonly seconds?: number;
  /**
   * Why the file did not pass a check although it is complete: it was paid for, so it is stored. Omitted if it passed.
   */
  readonly unfit?: Unfitness;
}

/** What a received body must be. */
export interface Expectation {
  /** Declared length, if any; any other length is an error. */
  readonly contentLength?: number;
  /** Declared media type, if any. Names raw audio, which has no signature; otherwise the bytes decide. */
  readonly contentType?: string;
  /** What was requested; a body that is no result at all (HTML, JSON, empty) is an error. */
  readonly family: 'audio' | 'video' | 'text';
  /** The requested format. Names raw audio if nothing else does. */
  readonly format?: string;
  /** For `text`: the extension of the file. Default `txt`. */
  readonly extension?: string;
}

/** A stored file as the ledger records it. */
export type KeptFile = Omit<StoredFile, 'unfit'>;

/** Outcome of {@link Store.reuse}: the file under its new key, or how the earlier file differs from its record. */
export type Reused =
  { readonly type: 'reused'; readonly file: KeptFile } | { readonly type: 'missing' } | { readonly type: 'altered' };

/** A stored file to join with others, with its joining options. */
export interface StoredPart extends KeptFile, Omit<JoinPart, 'path' | 'extension'> {}

/**
 * Outcome of {@link Store.join}. `damaged`: the file at this index is lost in this way. `unjoinable`: `why` is a
 * sentence for the user.
 */
export type Joined =
  | { readonly type: 'joined'; readonly file: StoredFile }
  | { readonly type: 'damaged'; readonly at: number; readonly is: FileLoss }
  | { readonly type: 'unjoinable'; readonly why: string };

/** What a store knows of a file without reading it. */
export interface MeasuredFile {
  /** The same for all hard links to one file. */
  readonly id: string;
  readonly bytes: number;
  /** Number of hard links to it, here and elsewhere: its space is freed when the last is removed. */
  readonly names: number;
  /** Whether its bucket has archived it, so that it cannot be read, or only for a while. Default false. */
  readonly isArchived?: boolean;
  /** When its content was written, in ms since 1970, by the clock of the disk or bucket. */
  readonly writtenAt: number;
}

/**
 * Performs a disk write, and may retry it while the disk is full, which the write reports by `StoreUnwritable`.
 * `growing`: the folder in which the write takes space. Default: it takes hardly any.
 */
export type Persist = <T>(write: () => Promise<T>, growing?: string) => Promise<T>;

/**
 * Why a URL lives shorter than requested: S3 allows seven days, or the URL ends with the session of temporary
 * credentials. With `unknown-session`, nobody knows when that is.
 */
export type UrlLimit = 'seven-days' | 'session' | 'unknown-session';

/** How long a URL lives. */
export interface UrlLife {
  /** From now, ms; 0 if it has expired. */
  readonly livesMs: number;
  /** Absent if it lives as long as requested. */
  readonly limit?: UrlLimit;
}

/** A URL from which anybody can fetch a file, without credentials. */
export interface SignedUrl extends UrlLife {
  readonly url: string;
}

/** Uploads local files to a store, and makes URLs of them that anybody can fetch. */
export interface StoreUrls {
  /**
   * Stores a local file under a key, which must identify its content. Skips the upload if a readable file of this
   * length has the key. Throws `StoreUnwritable`, also if the file no longer has this hash.
   */
  upload(file: { readonly path: string; readonly bytes: number; readonly sha256: string }, key: string): Promise<void>;
  /** Returns a URL that lives for `lifetimeMs` from now, or as long as possible. */
  presign(key: string, lifetimeMs: number): Promise<SignedUrl>;
}

/**
 * Stores media files in a folder or a bucket; opened by `openStore`. Every write is complete or absent, whatever is
 * killed. Names are stems (`batch/1-speech-1`) or keys (`batch/1-speech-1.mp3`).
 */
export interface Store {
  /**
   * Claims the store for this owner if it is unclaimed, creating it if needed. Returns its owner. Throws
   * `StoreUnwritable`.
   */
  claim(owner: string): Promise<string>;
  /** Gives the claimed store this id if it has none. Returns its id. Throws `StoreUnwritable`. */
  claimId(id: string): Promise<string>;
  /** Checks that the claimed store answers and has the same owner. Throws `StoreUnwritable`. */
  requireStillThere(): Promise<void>;
  /**
   * Stores a body as `<stem>.<ext>`: receives all of it, checks, hashes and syncs it, and only then gives it its name.
   * Its first bytes determine the extension. A complete file that fails a check (silent, of another kind) is stored all
   * the same: see {@link StoredFile.unfit}.
   *
   * Throws {@link UnfitBody}, or `StoreUnwritable` if the disk does not accept it, or has lost part of it (`LOST`).
   *
   * @param onReceived called when the complete body has arrived, before the file has its name
   * @param persist for bodies that cannot be fetched again: performs each write of a large one, and may wait for disk
   * space and retry it while the body waits. Each write is then synced, and the file's hash is verified at the end. By
   * default a failed write is final.
   */
  write(
    stem: string,
    body: Readable | Buffer,
    expectation: Expectation,
    onReceived?: () => void | Promise<void>,
    persist?: Persist,
  ): Promise<StoredFile>;
  /**
   * Finds the file stored under this stem, with this extension if given; hashes and checks it again. Undefined if there
   * is none, or only an incomplete one, which was altered since it was stored.
   */
  find(stem: string, expectation: Pick<Expectation, 'family' | 'extension'>): Promise<StoredFile | undefined>;
  /**
   * Stores a file again as `<stem>.<ext>`, if its bytes still have the recorded hash. Takes no space where hard links
   * work. Either name may be removed without the other. Throws `StoreUnwritable`.
   */
  reuse(file: KeptFile, stem: string): Promise<Reused>;
  /**
   * Measures the duration of a stored file in seconds, if it was never recorded; undefined if the file is missing,
   * incomplete, of a type without a duration, or cannot be read in time. Throws if the disk fails.
   */
  seconds(file: Pick<KeptFile, 'key' | 'bytes' | 'extension'>): Promise<number | undefined>;
  /**
   * Joins audio files, in order, into a new file `<stem>.<ext>`, as `joinSound` (`join-files.ts`) does. The files stay.
   * Throws `StoreUnwritable`.
   */
  join(files: readonly StoredPart[], stem: string): Promise<Joined>;
  /** Finds ffmpeg: its absolute path, or undefined if there is none. */
  ffmpeg(): Promise<string | undefined>;
  /** A readable stream of a stored file. Rejects with code `ENOENT` if there is none, and with `StoredFileRefused`. */
  read(key: string): Promise<Readable>;
  /** Returns the absolute path of a stored file; undefined for a bucket. */
  pathOf(key: string): string | undefined;
  /** Lists the keys of all files in a folder of the store and its subfolders. */
  list(folder: string): AsyncIterable<string>;
  /** Lists the names of the top-level folders with this prefix, in any order. */
  folders(prefix: string): AsyncIterable<string>;
  /** Measures these files, in order; undefined for a missing one. */
  measure(keys: readonly string[]): Promise<readonly (MeasuredFile | undefined)[]>;
  /** Removes these keys. Other keys of the same files stay, and keep their content. */
  remove(keys: readonly string[]): Promise<void>;
  /** Removes part files that killed processes left: those that nobody has written to for an hour. Never fails. */
  sweep(): Promise<void>;
  /** Whether the bucket answers: its operations wait while it does not. Absent for a folder. */
  readonly outage?: Outage;
  /** Absent for a folder, whose files have no URLs. */
  readonly urls?: StoreUrls;
  /** Waits for files that are being written, and accepts no more. May be called again. */
  close(): Promise<void>;
}
