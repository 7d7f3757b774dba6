import { open, rm } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { partPath } from './whole-file.ts';

/** Text is gathered up to this many characters before it is written. */
const BUFFERED = 256 * 1024;

/**
 * A list that may be as long as a batch has rows, and is read once, from the beginning: it lies in a part file, so that it takes no memory. The
 * file is made with the first item; a killed process leaves it to the next sweep of part files.
 */
export class SpilledList<T> {
  readonly #path: string;
  #file: FileHandle | undefined;
  #buffered = '';

  /** `folder` must be there when the first item comes. */
  constructor(folder: string) {
    this.#path = partPath(join(folder, 'list'));
  }

  /** Adds an item, which must survive JSON. */
  async add(item: T): Promise<void> {
    this.#buffered += `${JSON.stringify(item)}\n`;
    if (this.#buffered.length >= BUFFERED) await this.#flush();
  }

  /** All items, in the order in which they came. */
  async *items(): AsyncGenerator<T, void, undefined> {
    if (this.#file === undefined) {
      for (const line of this.#buffered.split('\n')) if (line !== '') yield JSON.parse(line) as T;
      return;
    }
    await this.#flush();
    const file = await open(this.#path);
    for await (const line of file.readLines()) yield JSON.parse(line) as T;
  }

  /** Removes it; harmless at any time. */
  async remove(): Promise<void> {
    await this.#file?.close();
    this.#file = undefined;
    await rm(this.#path, { force: true });
  }

  async #flush(): Promise<void> {
    this.#file ??= await open(this.#path, 'wx');
    await this.#file.writeFile(this.#buffered);
    this.#buffered = '';
  }
}
