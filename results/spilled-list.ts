import { open, rm } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { partPath } from './whole-file.ts';

/** Characters to gather before a write. */
const BUFFERED = 256 * 1024;

/**
 * A list that may be as long as the batch and is read once, from the start. It is kept in a part file, so that it takes
 * no memory. The first item creates the file; if the process is killed, the next sweep removes it.
 */
export class SpilledList<T> {
  readonly #path: string;
  #file: FileHandle | undefined;
  #buffered = '';

  /** `folder` must exist when the first item arrives. */
  constructor(folder: string) {
    this.#path = partPath(join(folder, 'list'));
  }

  /** Adds an item, which must survive JSON. */
  async add(item: T): Promise<void> {
    this.#buffered += `${JSON.stringify(item)}\n`;
    if (this.#buffered.length >= BUFFERED) await this.#flush();
  }

  /** All items, in insertion order. */
  async *items(): AsyncGenerator<T, void, undefined> {
    if (this.#file === undefined) {
      for (const line of this.#buffered.split('\n')) if (line !== '') yield JSON.parse(line) as T;
      return;
    }
    await this.#flush();
    const file = await open(this.#path);
    for await (const line of file.readLines()) yield JSON.parse(line) as T;
  }

  /** Removes the file; may be called at any time. */
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
