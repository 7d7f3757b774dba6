import { execFile } from 'node:child_process';
import { mkdir, open, rm, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { waitFor } from '../support/wait-for.ts';

const run = promisify(execFile);
const BYTES = 256 * 1024 * 1024;
/** The kernel may write while the image is copied; it is done soon, since nobody gives it more. */
const MAX_COPIES = 40;

/**
 * A disk whose power can be cut: an ext4 file system in an image, mounted by a loop device. What a program wrote without a sync is
 * in the kernel's memory and not in the image; so a copy of the image, made while nobody writes, is what a power cut would leave.
 * (Freezing the file system would be kinder: that syncs first.)
 */
export class PowerDisk {
  /** Where it is mounted. */
  readonly path: string;
  readonly #folder: string;
  #images = 0;

  private constructor(folder: string) {
    this.#folder = folder;
    this.path = join(folder, 'disk');
  }

  /** Makes and mounts one. A sentence instead, where this user may not mount. */
  static async mount(folder: string): Promise<PowerDisk | string> {
    const disk = new PowerDisk(folder);
    await mkdir(disk.path);
    const image = await open(disk.#image(), 'w');
    await image.truncate(BYTES);
    await image.close();
    try {
      // Otherwise the kernel would go on making the file system in the background.
      await run('mkfs.ext4', ['-q', '-E', 'lazy_itable_init=0,lazy_journal_init=0', disk.#image()]);
      await disk.#mount();
      return disk;
    } catch (error) {
      return error instanceof Error ? error.message.trim() : String(error);
    }
  }

  /** Syncs all that was written. */
  async sync(): Promise<void> {
    await run('sync', ['-f', this.path]);
  }

  /** Writes a file and does not sync it, so that a cut can be told from a mere crash. */
  async writeUnsynced(name: string): Promise<void> {
    const file = await open(join(this.path, name), 'w');
    await file.write('This was never synced.\n');
    await file.close();
  }

  /** Whether such a file has survived. */
  async has(name: string): Promise<boolean> {
    return (await readFile(join(this.path, name), 'utf8').catch(() => '')) !== '';
  }

  /**
   * Copies the image as it is. Nobody may write meanwhile, but the kernel may: the copy counts only if the image is still the same
   * after it.
   */
  async copy(): Promise<void> {
    const [image, copy] = [this.#image(), this.#image(this.#images + 1)];
    for (let tries = 1; tries <= MAX_COPIES; tries++) {
      await run('cp', ['--sparse=always', image, copy]);
      const isSame = await run('cmp', ['-s', image, copy]).then(
        () => true,
        () => false,
      );
      if (isSame) return;
      await sleep(50);
    }
    throw new Error(`The image changed during each of ${MAX_COPIES} copies.`);
  }

  /** Mounts the copy in place of the disk that it was made of. Nobody may use that any more. */
  async goOnWithCopy(): Promise<void> {
    // A killed process may hold its files a moment longer, while the kernel takes it apart.
    const unmounted = (): Promise<boolean> =>
      run('umount', [this.path]).then(
        () => true,
        () => false,
      );
    await waitFor(unmounted);
    await rm(this.#image());
    this.#images += 1;
    await this.#mount();
  }

  async close(): Promise<void> {
    await run('umount', ['-l', this.path]);
  }

  #image(number = this.#images): string {
    return join(this.#folder, `disk-${number}.img`);
  }

  async #mount(): Promise<void> {
    await run('mount', ['-o', 'loop', this.#image(), this.path]);
  }
}
