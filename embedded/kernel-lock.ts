import Database from 'libsql';
import { setTimeout as pause } from 'node:timers/promises';
import { ServerUnavailable, adviceFor } from './server-unavailable.ts';

/**
 * A file lock that the kernel keeps: shared by any number of holders, or held by one alone. It ends with its process,
 * however that dies, and lives as long as the process does, however slow or suspended it is. So a lock that can be
 * had proves that its former holder is dead, which neither a pid (pids come again) nor a time-out (laptops sleep) does.
 *
 * Node has no file locks of its own; SQLite has well-proven ones. The file is an empty SQLite database to which nothing
 * is written but its header, once. An open read transaction is a shared lock on it, an exclusive transaction an
 * exclusive one. That holds for the rollback journal, the mode of an empty database, not for WAL.
 *
 * Limits: the file must lie on a local disk (network file systems often have no such locks), and must not be deleted
 * while somebody holds it: a new file is a new lock.
 */
export class KernelLock {
  readonly #database: Database.Database;
  #closed = false;

  /** Opens, and makes if needed, the lock file. Holds nothing yet. */
  constructor(file: string) {
    try {
      this.#database = new Database(file, { timeout: 0 });
    } catch (error) {
      throw unusable(file, error);
    }
  }

  /** Takes the lock for this holder alone, at once or not at all. */
  tryAlone(): boolean {
    return this.#try('BEGIN EXCLUSIVE');
  }

  /** Takes the lock together with others, at once or not at all. */
  tryShared(): boolean {
    // Any read does: it is the read, not BEGIN, that takes the lock, and the open transaction keeps it.
    return this.#try('BEGIN; SELECT count(*) FROM sqlite_master');
  }

  /** Gives up what is held; no effect if nothing is. */
  release(): void {
    if (!this.#database.inTransaction) return;
    try {
      this.#database.exec('COMMIT');
    } catch {
      // The header could not be written, as on a full disk. It is not needed; the lock is given up all the same.
      this.#database.exec('ROLLBACK');
    }
  }

  /** Releases and closes. May be called again. */
  close(): void {
    // libsql ends the process when a closed database is touched.
    if (this.#closed) return;
    this.#closed = true;
    // Closing alone would not do: libsql keeps the file open, and its lock, until the object is collected.
    this.release();
    this.#database.close();
  }

  #try(statements: string): boolean {
    try {
      this.#database.exec(statements);
      return true;
    } catch (error) {
      this.release();
      if (isBusy(error)) return false;
      throw unusable(this.#database.name, error);
    }
  }
}

/** True for SQLite's word that another process or connection holds the lock. */
export function isBusy(error: unknown): boolean {
  return error instanceof Error && 'code' in error && String(error.code).startsWith('SQLITE_BUSY');
}

function unusable(file: string, error: unknown): ServerUnavailable {
  const words = error instanceof Error && 'code' in error ? `${String(error.code)}: ${error.message}` : String(error);
  return new ServerUnavailable(`The lock file ${file} can't be used: ${words}.`, adviceFor(words), { cause: error });
}

export interface WaitForLock {
  /** Ends the wait with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /** Called once, after 5 s of waiting. */
  readonly onSlow?: () => void;
  /** Gives up after this long, in ms; default: never. */
  readonly timeoutMs?: number;
}

const GAP_MS = 25;
const SLOW_MS = 5_000;

/** Waits until the lock is held alone; false when `timeoutMs` is over. The event loop stays free. */
export async function lockExclusively(lock: KernelLock, options: WaitForLock = {}): Promise<boolean> {
  const began = performance.now();
  let isSaid = false;
  for (;;) {
    options.signal?.throwIfAborted();
    if (lock.tryAlone()) return true;
    const waited = performance.now() - began;
    if (options.timeoutMs !== undefined && waited >= options.timeoutMs) return false;
    if (!isSaid && waited >= SLOW_MS) {
      isSaid = true;
      options.onSlow?.();
    }
    await pause(GAP_MS, undefined, { signal: options.signal });
  }
}
