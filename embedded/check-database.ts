import { orElse } from '../contract/or-else.ts';
import Database from 'libsql';
import { closeSync, existsSync, openSync, readFileSync, readSync, rmSync, writeFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { compareVersions } from './find-server.ts';
import type { HomePaths } from './home.ts';
import { isBusy } from './kernel-lock.ts';
import type { ServerBinary } from './server-binary.ts';
import { ServerUnavailable, adviceFor } from './server-unavailable.ts';

/*
 * Checks of `temporal.db`, the database of the embedded Temporal server, before `ensure-server.ts` starts a server on
 * it: that no process has it open, that no newer server made it, and that its tables are complete.
 */

/**
 * Waits until no process has `temporal.db` open. Returns false if one still has after `timeoutMs`. Throws
 * {@link ServerUnavailable} if the file cannot be used.
 */
export async function waitUntilFree(paths: HomePaths, timeoutMs: number): Promise<boolean> {
  const end = performance.now() + timeoutMs;
  while (isDatabaseInUse(paths)) {
    if (performance.now() >= end) return false;
    await pause(50);
  }
  return true;
}

/**
 * Returns whether some process has `temporal.db` open. Two servers would ruin one database, so none starts before the
 * kernel shows that the last one is gone.
 *
 * A process with a database open in WAL mode holds a shared lock on its file all the time, and leaving WAL mode needs
 * the exclusive lock. So the attempt to leave it fails exactly while somebody has the database open. Otherwise it does
 * no harm: the log is merged into the database, and the next server returns to WAL mode.
 */
function isDatabaseInUse(paths: HomePaths): boolean {
  if (!existsSync(paths.temporal)) return false;
  let database: Database.Database | undefined;
  try {
    database = new Database(paths.temporal, { timeout: 0 });
    database.exec('PRAGMA journal_mode=DELETE');
    return false;
  } catch (error) {
    if (isBusy(error)) return true;
    const words = error instanceof Error && 'code' in error ? `${String(error.code)}: ${error.message}` : String(error);
    throw new ServerUnavailable(`${paths.temporal} can't be used: ${words}.`, adviceFor(words), { cause: error });
  } finally {
    database?.close();
  }
}

/** Mark after the version in `temporal.db.version`, until a server was ready on the database; see `prepareDatabase`. */
const HALF_MADE = 'half made';

/**
 * Prepares `temporal.db` for a start of this server. Throws {@link ServerUnavailable} if a newer server made it:
 * servers change its tables with a minor version and cannot go back. In SQLite the tables carry no version, so a small
 * file beside them does. For an existing or new database, it records the newest version that opened it.
 *
 * A server that is killed, or meets a full disk, while it creates its tables leaves a database that no server can ever
 * use. So the file says that it is half made until a server was ready on it ({@link markReady}). A half-made database
 * is recreated, which loses nothing, because nobody has worked with it. After a power cut a database may have no table
 * at all, whatever the file says, because the server syncs its database late ({@link startServer}). The ledger has
 * everything that was in it.
 */
export function prepareDatabase(paths: HomePaths, binary: ServerBinary): void {
  if (isHalfMade(paths) || isEmpty(paths)) rmSync(paths.temporal, { force: true });
  const known = existsSync(paths.temporal) ? readVersion(paths) : undefined;
  if (known !== undefined && compareVersions(minorOf(known), minorOf(binary.version)) > 0) {
    throw new ServerUnavailable(
      `${paths.temporal} was made by Temporal server ${known}; the one found is older: ${binary.version} (${binary.path}).`,
      `Set VOXBATCH_TEMPORAL_CLI to a server of version ${minorOf(known)} or newer. Or move temporal.db away: all finished and ` +
        'paid work is in ledger.db, so nothing is paid twice.',
    );
  }
  if (!existsSync(paths.temporal)) {
    // Leftovers of a deleted database must not be mistaken for this one's.
    for (const suffix of ['-wal', '-shm', '-journal']) rmSync(paths.temporal + suffix, { force: true });
    writeFileSync(paths.temporalVersion, `${binary.version} ${HALF_MADE}\n`, { mode: 0o600 });
  } else if (known === undefined || compareVersions(known, binary.version) < 0) {
    writeFileSync(paths.temporalVersion, `${binary.version}\n`, { mode: 0o600 });
  }
}

/**
 * Records that a server is ready on the database, so its tables are complete. Call it before anybody uses the server.
 */
export function markReady(paths: HomePaths): void {
  if (isHalfMade(paths)) writeFileSync(paths.temporalVersion, `${readVersion(paths) ?? ''}\n`, { mode: 0o600 });
}

/** Where the header of an SQLite file counts the changes of its schema (https://www.sqlite.org/fileformat2.html). */
const SCHEMA_COOKIE = { offset: 40, bytes: 4 } as const;

/**
 * True if the database never had a table. Call it only while nobody has the database open and its log is merged into
 * it.
 */
function isEmpty(paths: HomePaths): boolean {
  if (!existsSync(paths.temporal)) return false;
  const file = openSync(paths.temporal, 'r');
  try {
    const { offset, bytes } = SCHEMA_COOKIE;
    const cookie = Buffer.alloc(bytes);
    return readSync(file, cookie, 0, bytes, offset) < bytes || cookie.readUInt32BE() === 0;
  } finally {
    closeSync(file);
  }
}

function isHalfMade(paths: HomePaths): boolean {
  return orElse(() => readFileSync(paths.temporalVersion, 'utf8').includes(HALF_MADE), false);
}

function readVersion(paths: HomePaths): string | undefined {
  // A database from before this file existed, or whose file was lost: the server decides whether it can read it.
  return orElse(() => /^\d+\.\d+\.\d+/.exec(readFileSync(paths.temporalVersion, 'utf8'))?.[0], undefined);
}

function minorOf(version: string): string {
  return version.split('.').slice(0, 2).join('.');
}
