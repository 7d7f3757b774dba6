import type { LocalFile } from '../../contract/row-kinds.ts';

/** A local file is gone, or is not the one that its row was checked with. Nothing is sent for it. */
export class MediaChanged extends Error {
  override readonly name = 'MediaChanged';

  constructor(path: string, why: string) {
    super(`the file ${path} ${why}`);
  }
}

/** A file, and the last path segment of all links to its content (`nameOfContent`). */
export interface LinkedFile extends LocalFile {
  readonly name: string;
}

/** Makes links to files of this machine, by which a service fetches them. */
export interface LocalMediaLinks {
  /**
   * Makes sure that the content which the row asks for can be fetched. May read, or move, the whole file. Throws {@link
   * MediaChanged}, or another error that may pass.
   */
  prepare(file: LinkedFile, signal: AbortSignal): Promise<void>;
  /**
   * A new link to a prepared file, for one request. It leads to that content for this long, ms, or as long as can be.
   * Rejects if that is too short to be of use.
   */
  linkTo(file: LinkedFile, validMs: number): Promise<string>;
  /** Lets running downloads end, for a while. May be called again. */
  close(): Promise<void>;
}
