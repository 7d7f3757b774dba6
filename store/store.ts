import type { Readable } from 'node:stream';
import type { Unfitness } from './unfit.ts';

/** A media file that is whole, checked and under its final name. */
export interface StoredFile {
  /** Name in the store: the stem that it was written under, and its extension. */
  readonly key: string;
  readonly bytes: number;
  /** Hex. */
  readonly sha256: string;
  /** What the file is, from its first bytes: `mp3`, `wav`, `mp4`, `txt`, … without a dot; `bin` for what nobody knows. */
  readonly extension: string;
  /** What is wrong with it, though it is whole: it was paid for, so it is kept. Left out where it passed all checks. */
  readonly unfit?: Unfitness;
}

/** What a body must be to be taken. */
export interface Expectation {
  /** Declared length, where there is one; another length is an error. */
  readonly contentLength?: number;
  /** Declared media type, where there is one. Names raw audio, which has no first bytes of its own; otherwise the bytes decide. */
  readonly contentType?: string;
  /** What the result is meant to be; a body that is no result at all (HTML, JSON, empty) is an error. */
  readonly family: 'audio' | 'video' | 'text';
  /** The format that was asked for. Names raw audio where nothing else does. */
  readonly format?: string;
  /** For `text`: the extension of the file. Default `txt`. */
  readonly extension?: string;
}

/** The body was not whole, or no result at all. Nothing was left under the final name. */
export class UnfitBody extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'UnfitBody';
  }
}

/** A further name for a stored file. */
export interface FurtherName {
  readonly key: string;
  /** Length on record; a file of another one is not linked. */
  readonly bytes: number;
  /** Absolute, outside the store. */
  readonly path: string;
}

/**
 * What became of a further name. `kept`: it was that of the file before. `other`: nothing was changed, because the file is not as recorded, there
 * is something else under the name, or links are not to be had there.
 */
export type Linked = 'placed' | 'kept' | 'other';

/** Keeps media files. Writes are whole or absent. */
export interface Store {
  /**
   * Puts a body under `<stem>.<ext>`: received whole, checked and hashed, synced, and only then named. The extension follows from the
   * first bytes. A file that is whole, but not as expected (silent, of another kind), is kept all the same: see
   * {@link StoredFile.unfit}.
   *
   * Throws {@link UnfitBody}, or `StoreUnwritable` where the disk does not take it.
   *
   * @param onReceived called when the body has come whole, before anything is under the final name
   */
  write(
    stem: string,
    body: Readable | Buffer,
    expectation: Expectation,
    onReceived?: () => void | Promise<void>,
  ): Promise<StoredFile>;
  /**
   * The file written under this stem, if any, with this extension if one is given; hashed and checked again. One that is not whole was
   * changed by somebody, and is not found.
   */
  find(stem: string, expectation: Pick<Expectation, 'family' | 'extension'>): Promise<StoredFile | undefined>;
  /** A readable stream of a stored file. */
  read(key: string): Promise<Readable>;
  /** Absolute path of a stored file, for a driver that keeps files on this machine. */
  pathOf(key: string): string | undefined;
  /** Gives stored files further names, as hard links; makes folders where they are needed. In order. */
  link(names: readonly FurtherName[]): Promise<readonly Linked[]>;
  /** Removes what killed processes left of files that were not whole: what nobody has written to for an hour. Never fails. */
  sweep(): Promise<void>;
  /** Waits for files that are being put to disk, and takes no more. Repeatable. */
  close(): Promise<void>;
}
