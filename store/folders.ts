import { closeSync, fsync, openSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import { StoreUnwritable } from './errors.ts';
import { requireStillThere, type OwnedFolder } from './owner-file.ts';

const syncFile = promisify(fsync);

/** A sync of a folder in progress. */
interface Syncing {
  readonly running: Promise<void>;
  /** The sync after it, if somebody has asked for one meanwhile. */
  next?: Promise<void>;
}

/** Creates the folders that files are written to on first use, and syncs one once for several files. */
export class Folders {
  readonly #maxKnown: number;
  readonly #known = new Set<string>();
  readonly #syncs = new Map<string, Syncing>();

  /**
   * @param maxKnown max folders remembered as existing; beyond that, the oldest is forgotten and checked again on use
   */
  constructor(maxKnown = 1_000) {
    this.#maxKnown = maxKnown;
  }

  /**
   * Ensures that a folder exists. `store`: the store it belongs to, which is not recreated if it has disappeared.
   * Throws {@link StoreUnwritable}.
   */
  async make(path: string, store?: OwnedFolder): Promise<void> {
    if (this.#known.has(path)) return;
    if (store !== undefined) await requireStillThere(store);
    await onDisk(path, async () => {
      const first = await mkdir(path, { recursive: true, mode: 0o700 });
      if (first !== undefined) await this.sync(dirname(first));
    });
    for (const oldest of this.#known) {
      if (this.#known.size < this.#maxKnown) break;
      this.#known.delete(oldest);
    }
    this.#known.add(path);
  }

  /** Runs `action`, which writes into a folder of a store. Creates the folder first, and again if it was removed. */
  async within<R>(folder: string, store: OwnedFolder, action: () => Promise<R>): Promise<R> {
    await this.make(folder, store);
    try {
      return await action();
    } catch (error) {
      if (!isAbsent(error)) throw error;
      this.#known.delete(folder);
      await this.make(folder, store);
      return action();
    }
  }

  /**
   * Makes new names in a folder survive a power cut. Callers that arrive during a sync share the next one, which begins
   * after their renames. Windows cannot open folders, and does not need to.
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

  /** Starts a sync that no other caller has begun. */
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

/** Runs a disk operation. Turns its error into a {@link StoreUnwritable} that names the path. */
export async function onDisk<R>(path: string, action: () => R | Promise<R>): Promise<R> {
  try {
    return await action();
  } catch (error) {
    throw error instanceof StoreUnwritable ? error : new StoreUnwritable(path, error);
  }
}

/** Whether the folder of a file is missing. */
function isAbsent(error: unknown): boolean {
  return error instanceof StoreUnwritable && error.code === 'ENOENT';
}

/** Opens and closes synchronously, which costs less than a promise for each. */
async function syncFolder(path: string): Promise<void> {
  const folder = openSync(path, 'r');
  try {
    await syncFile(folder);
  } finally {
    closeSync(folder);
  }
}
