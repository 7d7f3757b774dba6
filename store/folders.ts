import { closeSync, fsync, openSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import { StoreUnwritable } from './errors.ts';

const syncFile = promisify(fsync);

interface Syncing {
  readonly running: Promise<void>;
  /** Begins when that one has ended. */
  next?: Promise<void>;
}

/** Folders that files are written to: made when they are first needed, and synced for several files at once. */
export class Folders {
  readonly #mostKnown: number;
  readonly #known = new Set<string>();
  readonly #syncs = new Map<string, Syncing>();

  /** @param mostKnown folders that are known to exist, at most; the oldest is forgotten, and made sure of once more */
  constructor(mostKnown = 1_000) {
    this.#mostKnown = mostKnown;
  }

  /** Makes sure that a folder is there. Throws {@link StoreUnwritable}. */
  async make(path: string): Promise<void> {
    if (this.#known.has(path)) return;
    await onDisk(path, async () => {
      const first = await mkdir(path, { recursive: true });
      if (first !== undefined) await this.sync(dirname(first));
    });
    for (const oldest of this.#known) {
      if (this.#known.size < this.#mostKnown) break;
      this.#known.delete(oldest);
    }
    this.#known.add(path);
  }

  /** Writes into a folder that was made before; once more where somebody has removed it since. */
  async within<R>(folder: string, action: () => Promise<R>): Promise<R> {
    await this.make(folder);
    try {
      return await action();
    } catch (error) {
      if (!isAbsent(error)) throw error;
      this.#known.delete(folder);
      await this.make(folder);
      return action();
    }
  }

  /**
   * Makes new names in a folder survive a power cut. All who ask while a sync runs share the next one: it begins after their
   * renames. Windows cannot open folders, and does not need it.
   */
  sync(path: string): Promise<void> {
    if (process.platform === 'win32') return Promise.resolve();
    const before = this.#syncs.get(path);
    if (before === undefined) return this.#start(path);
    before.next ??= before.running.then(
      () => this.#start(path),
      () => this.#start(path),
    );
    return before.next;
  }

  #start(path: string): Promise<void> {
    const running = syncFolder(path);
    const sync: Syncing = { running };
    this.#syncs.set(path, sync);
    const done = (): void => {
      if (sync.next === undefined) this.#syncs.delete(path);
    };
    running.then(done, done);
    return running;
  }
}

/** Turns an error of the disk into one that says what could not be written. */
export async function onDisk<R>(path: string, action: () => R | Promise<R>): Promise<R> {
  try {
    return await action();
  } catch (error) {
    throw error instanceof StoreUnwritable ? error : new StoreUnwritable(path, error);
  }
}

function isAbsent(error: unknown): boolean {
  return error instanceof StoreUnwritable && error.code === 'ENOENT';
}

/** The short calls are made at once: a promise for each costs more than they do. */
async function syncFolder(path: string): Promise<void> {
  const folder = openSync(path, 'r');
  try {
    await syncFile(folder);
  } finally {
    closeSync(folder);
  }
}
