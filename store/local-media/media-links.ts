import type { LocalFile } from '../../contract/row-kinds.ts';

/** A local file is gone, or has changed since its row was checked. No request is sent for the row. */
export class MediaChanged extends Error {
  override readonly name = 'MediaChanged';

  constructor(path: string, why: string) {
    super(`the file ${path} ${why}`);
  }
}

/** A file, and the last path segment of all links to its content (`nameOfContent` in `contract/local-media.ts`). */
export interface LinkedFile extends LocalFile {
  readonly name: string;
}

/**
 * Makes links to local files, from which the service fetches them: either to a server of this process
 * (`serve-media.ts`), or to copies in a bucket (`upload-media.ts`).
 */
export interface LocalMediaLinks {
  /**
   * Ensures that a file's content can be fetched by links. May read or upload the complete file. Throws
   * {@link MediaChanged}, or an error that may be temporary.
   */
  prepare(file: LinkedFile, signal: AbortSignal): Promise<void>;
  /**
   * Returns a new link to a prepared file, for one request. It is valid for `validMs`, or as long as possible. Rejects
   * if that is too short for the service to fetch the file.
   */
  linkTo(file: LinkedFile, validMs: number): Promise<string>;
  /** Waits a while for running downloads, and ends. May be called again. */
  close(): Promise<void>;
}
