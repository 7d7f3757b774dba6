import Database from 'libsql';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { orElse } from '../contract/or-else.ts';
import { makePrivateFile } from './private-file.ts';
import { ServerUnavailable, adviceFor } from './server-unavailable.ts';

/**
 * A file lock held by the kernel: shared by any number of holders, or exclusive. It ends with its process, however that
 * dies, and lasts as long as the process lives, even slow or suspended. So acquiring the lock proves that its former
 * holder is dead. Neither a pid (pids are reused) nor a timeout (laptops sleep) proves that.
 *
 * Node has no file locks of its own; SQLite has well-proven ones. The file is an empty SQLite database; only its header
 * is ever written, once. An open read transaction is a shared lock on it, an exclusive transaction an exclusive one.
 * That holds for the rollback journal, the mode of an empty database, not for WAL.
 *
 * Limits: the file must be on a local disk (network file systems often lack such locks), and must not be deleted while
 * somebody holds the lock: a new file is a new lock.
 */
export class KernelLock {
  readonly #database: Database.Database;
  #closed = false;

  /** Opens the lock file, and creates it if needed. Does not acquire the lock. */
  constructor(file: string) {
    try {
      makePrivateFile(file);
      this.#database = new Database(file, { timeout: 0 });
    } catch (error) {
      throw lockError(file, error);
    }
  }

  /** Tries once to acquire the lock exclusively. Returns false if another process holds it in any mode. */
  tryExclusive(): boolean {
    // Nothing in the file must survive a power cut, and a sync would hold up the whole process.
    return this.#try('PRAGMA synchronous = OFF; BEGIN EXCLUSIVE');
  }

  /** Tries once to acquire the lock in shared mode. Returns false if another process holds it exclusively. */
  tryShared(): boolean {
    // Any read will do: the read, not BEGIN, takes the lock, and the open transaction keeps it.
    return this.#try('BEGIN; SELECT count(*) FROM sqlite_master');
  }

  /** Releases the lock; no effect if it is not held. */
  release(): void {
    if (!this.#isHeld()) return;
    try {
      this.#database.exec('COMMIT');
    } catch {
      // The header could not be written, as on a full disk. It is not needed, and the rollback, which SQLite has often
      // done by itself, still releases the lock.
      if (this.#isHeld()) this.#database.exec('ROLLBACK');
    }
  }

  /** Releases and closes. May be called again. */
  close(): void {
    // libsql ends the process if a closed database is used.
    if (this.#closed) return;
    this.#closed = true;
    // Closing alone is not enough: libsql keeps the file and its lock until the object is collected.
    this.release();
    this.#database.close();
  }

  #isHeld(): boolean {
    return this.#database.inTransaction;
  }

  #try(statements: string): boolean {
    try {
      this.#database.exec(statements);
      return true;
    } catch (error) {
      this.release();
      if (isBusy(error)) return false;
      throw lockError(this.#database.name, error);
    }
  }
}

/** True for SQLite's error that another process or connection holds the lock. */
export function isBusy(error: unknown): boolean {
  return error instanceof Error && 'code' in error && String(error.code).startsWith('SQLITE_BUSY');
}

function lockError(file: string, error: unknown): ServerUnavailable {
  const words = error instanceof Error && 'code' in error ? `${String(error.code)}: ${error.message}` : String(error);
  return new ServerUnavailable(`The lock file ${file} can't be used: ${words}.`, adviceFor(words), { cause: error });
}

/** Options of {@link lockExclusively}. */
export interface WaitForLock {
  /** Ends the wait with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /** Called once, after 5 s of waiting. */
  readonly onSlow?: () => void;
  /** Gives up after this long, in ms; default: never. */
  readonly timeoutMs?: number;
}

/** Interval between two tries, ms. */
const GAP_MS = 25;
/** When a wait counts as slow, ms. */
const SLOW_MS = 5_000;

/** Waits until the lock is acquired exclusively. Returns false after `timeoutMs`. Does not block the event loop. */
export async function lockExclusively(lock: KernelLock, options: WaitForLock = {}): Promise<boolean> {
  const startedAt = performance.now();
  let isReported = false;
  for (;;) {
    options.signal?.throwIfAborted();
    if (lock.tryExclusive()) return true;
    const waited = performance.now() - startedAt;
    if (options.timeoutMs !== undefined && waited >= options.timeoutMs) return false;
    if (!isReported && waited >= SLOW_MS) {
      isReported = true;
      options.onSlow?.();
    }
    await pause(GAP_MS, undefined, { signal: options.signal });
  }
}

/** Linux's file system with information about processes and file locks. */
const PROC = '/proc';

/**
 * Returns the pids of other processes that hold a lock on one of these files, for messages. Misses processes of other
 * containers and users. Always empty except on Linux.
 *
 * @param table the kernel's list of file locks, with lines such as `1: POSIX  ADVISORY  READ 4711 fd:01:262143
 * 1073741826 1073742335`
 */
export function lockHolders(files: readonly string[], table = join(PROC, 'locks')): readonly number[] {
  const wanted = files.flatMap((file) => statOf(file) ?? []);
  const pids = orElse(() => readFileSync(table, 'utf8'), '')
    .split('\n')
    .map((line) => /\s(?<pid>\d+) [\da-f]+:[\da-f]+:(?<inode>\d+) /.exec(line)?.groups)
    .flatMap((found) => (wanted.some(({ ino }) => ino === Number(found?.['inode'])) ? [Number(found?.['pid'])] : []));
  const others = [...new Set(pids)].filter((pid) => pid > 0 && pid !== process.pid);
  return others.filter((pid) => hasOpen(pid, wanted)).sort((one, other) => one - other);
}

type FileId = { readonly dev: number; readonly ino: number };

/**
 * Returns whether a process has one of the files open. Needed because inode numbers are unique only per disk, and the
 * device in the kernel's list differs from that of `stat` on Btrfs and in containers.
 */
function hasOpen(pid: number, files: readonly FileId[]): boolean {
  const folder = join(PROC, String(pid), 'fd');
  return orElse(() => readdirSync(folder), []).some((name) => {
    const open = statOf(join(folder, name));
    return files.some(({ dev, ino }) => dev === open?.dev && ino === open.ino);
  });
}

function statOf(path: string): FileId | undefined {
  return orElse(() => statSync(path), undefined);
}
