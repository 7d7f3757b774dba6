import type { Readable } from 'node:stream';
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

/** What a body must be to be accepted. */
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

/** What is on record of a stored file. */
export type KeptFile = Omit<StoredFile, 'unfit'>;

/** Whether a stored file is still what its record says, and then its copy. */
export type Reused =
  { readonly type: 'reused'; readonly file: KeptFile } | { readonly type: 'missing' } | { readonly type: 'altered' };

/** A stored file to be joined to others, and what comes with it. */
export interface StoredPart extends KeptFile, Omit<JoinPart, 'path' | 'extension'> {}

/**
 * Several stored files as one. `damaged`: the file at this place, from 0, is not what its record says. `unjoinable`: why,
 * for people.
 */
export type Joined =
  | { readonly type: 'joined'; readonly file: StoredFile }
  | { readonly type: 'damaged'; readonly at: number; readonly is: 'missing' | 'altered' }
  | { readonly type: 'unjoinable'; readonly why: string };

/** A stored file on disk. */
export interface MeasuredFile {
  /** The same for all names of one file. */
  readonly id: string;
  readonly bytes: number;
  /** Its names, here and elsewhere: its bytes are freed when the last one is removed. */
  readonly names: number;
}

/**
 * Makes a write to the disk, which rejects with `StoreUnwritable` if that has no room, once or more often. `growing`: the folder in which
 * it takes room; default: it takes hardly any.
 */
export type Persist = <T>(write: () => Promise<T>, growing?: string) => Promise<T>;

/** Keeps media files. Writes are whole or absent. */
export interface Store {
  /** Makes the store this owner's if it is nobody's, and creates it if there is none. Returns whose it is. Throws `StoreUnwritable`. */
  claim(owner: string): Promise<string>;
  /**
   * Stores a body as `<stem>.<ext>`: receives all of it, checks, hashes and syncs it, and only then names it. Its first
   * bytes determine the extension. A whole file that fails a check (silent, of another kind) is kept all the same: see
   * {@link StoredFile.unfit}.
   *
   * Throws {@link UnfitBody}, or `StoreUnwritable` if the disk does not accept it, or has lost part of it (`LOST`).
   *
   * @param onReceived called when the whole body has arrived, before anything has the final name
   * @param persist makes each write of a large body, which comes once: it may wait for room and make the same write again. The body
   * waits meanwhile. Each write is synced, and in the end the file has the hash of what came. Default: a write that fails is the end.
   */
  write(
    stem: string,
    body: Readable | Buffer,
    expectation: Expectation,
    onReceived?: () => void | Promise<void>,
    persist?: Persist,
  ): Promise<StoredFile>;
  /**
   * Finds the file stored under this stem, with this extension if given; hashes and checks it again. A file that is not
   * whole was changed by somebody, and is not found.
   */
  find(stem: string, expectation: Pick<Expectation, 'family' | 'extension'>): Promise<StoredFile | undefined>;
  /**
   * Keeps a file a second time, as `<stem>.<ext>`, if its bytes still have the hash on record. No space is used where
   * the disk makes links. Either name may be removed without the other. Throws `StoreUnwritable`.
   */
  reuse(file: KeptFile, stem: string): Promise<Reused>;
  /**
   * How long a stored file plays, in seconds, for one of which nobody noted it; undefined if it is not there, not whole,
   * of a type without a length, or cannot be read in its time. Throws if the disk fails.
   */
  seconds(file: Pick<KeptFile, 'key' | 'bytes' | 'extension'>): Promise<number | undefined>;
  /**
   * Joins sound files, in order, into a new file `<stem>.<ext>`, as `joinSound` does; the files stay. Whole or absent, like any other. Throws `StoreUnwritable`.
   */
  join(files: readonly StoredPart[], stem: string): Promise<Joined>;
  /** Absolute path of the ffmpeg that is used where one is needed; undefined if there is none. */
  ffmpeg(): Promise<string | undefined>;
  /** A readable stream of a stored file. */
  read(key: string): Promise<Readable>;
  /** Absolute path of a stored file, if the driver keeps files on this machine. */
  pathOf(key: string): string | undefined;
  /** The keys of all files in a folder of the store. */
  list(folder: string): AsyncIterable<string>;
  /** What these files take on disk; undefined for one that is not there. Results are in order. */
  measure(keys: readonly string[]): Promise<readonly (MeasuredFile | undefined)[]>;
  /** Removes these names. Other names of the same files stay, and keep their content. */
  remove(keys: readonly string[]): Promise<void>;
  /** Removes partial files that killed processes left: those that nobody has written to for an hour. Never fails. */
  sweep(): Promise<void>;
  /** Waits for files that are being written, and accepts no more. May be called again. */
  close(): Promise<void>;
}
