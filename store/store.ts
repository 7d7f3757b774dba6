import type { Readable } from 'node:stream';

/** A media file that is whole, checked and under its final name. */
export interface StoredFile {
  /** Name in the store: `<batch>/<row>-<step>-<take>.<ext>`. */
  readonly key: string;
  readonly bytes: number;
  /** Hex. */
  readonly sha256: string;
  /** What the file is, from its first bytes: `mp3`, `wav`, `mp4`, `txt`, … without a dot. */
  readonly extension: string;
}

/** What a body must be to be taken. */
export interface Expectation {
  /** Declared length, where there is one; another length is an error. */
  readonly contentLength?: number;
  /** Declared media type, where there is one. Names raw audio, which has no first bytes of its own; otherwise the bytes decide. */
  readonly contentType?: string;
  /** What the result is meant to be; a body of another family (HTML, JSON, empty) is an error. */
  readonly family: 'audio' | 'video' | 'text';
  /** For `text`: the extension of the file. Default `txt`. */
  readonly extension?: string;
}

/** The body was not whole or not what it claims to be. Nothing was left under the final name. */
export class UnfitBody extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'UnfitBody';
  }
}

/** Keeps media files. Writes are whole or absent. */
export interface Store {
  /**
   * Streams a body to `<stem>.<ext>`: into a part file of its own, hashed and checked on the way, synced, then renamed.
   * The extension follows from the first bytes. Throws {@link UnfitBody}.
   */
  write(stem: string, body: Readable, expectation: Expectation): Promise<StoredFile>;
  /** The file written under this stem, if any (whole by construction), with this extension if one is given; hashes it again. */
  find(stem: string, extension?: string): Promise<StoredFile | undefined>;
  /** A readable stream of a stored file. */
  read(key: string): Promise<Readable>;
  /** Absolute path of a stored file, for a driver that keeps files on this machine. */
  pathOf(key: string): string | undefined;
  /** Removes part files that no live process writes (older than an hour). */
  sweep(): Promise<void>;
}

/** Stem of the stored result of a take: stable, so that a lost record can be found again. */
export function stemOf(key: { batch: string; row: number; step: string; take: number }): string {
  return `${key.batch}/${key.row}-${key.step}-${key.take}`;
}
