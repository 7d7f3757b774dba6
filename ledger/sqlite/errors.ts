import { statfsSync, type StatsFs } from 'node:fs';
import { dirname } from 'node:path';
import { whyOfGuard } from '../copy/read-only.ts';
import { DuplicateKey, LedgerFull, LedgerReadOnly, LedgerUnreachable } from '../errors.ts';

/** How long a writer waits for another process's transaction, in ms. */
export const BUSY_TIMEOUT_MS = 10_000;

/**
 * Problem and advice for SQLite's result codes (https://www.sqlite.org/rescode.html), by prefix. The first match
 * counts, so longer prefixes come first.
 */
const EXPLANATIONS: readonly (readonly [prefix: string, problem: string, advice: string])[] = [
  ['SQLITE_FULL', 'the disk is full', 'Free some space and run the same command again.'],
  ['SQLITE_READONLY', 'it is read-only', 'Make the file and its folder writable, then run the same command again.'],
  ['SQLITE_PERM', 'access is denied', 'Make the file and its folder writable, then run the same command again.'],
  [
    'SQLITE_BUSY',
    `another process held it for ${BUSY_TIMEOUT_MS / 1000} s`,
    'End that process (it may be stopped in the middle of a write), and run the same command again.',
  ],
  [
    'SQLITE_NOTADB',
    'the file is not a database',
    'If it was a ledger, restore it from a backup: it records what was paid, and without it everything is paid for again. Otherwise set VOXBATCH_LEDGER to another file.',
  ],
  [
    'SQLITE_CORRUPT',
    'the database is damaged',
    'Restore it from a backup. Do not delete it: it records what was paid.',
  ],
  [
    'SQLITE_IOERR',
    'reading or writing the disk failed',
    'Check the disk, and your quota on it, then run the same command again.',
  ],
  ['SQLITE_CANTOPEN', 'it cannot be opened', 'Check that its folder exists and is writable.'],
];

/**
 * Codes that may mean a full disk: SQLite recognises only ENOSPC, and reports an exhausted quota (EDQUOT) or a file
 * size limit as a failed write.
 */
const MAY_LACK_ROOM = ['SQLITE_FULL', 'SQLITE_IOERR'] as const;

/**
 * Codes of failed writes with which SQLite reports a full disk if there is no room even for the index of the log, its
 * first write. The numbers are for codes that libsql does not name.
 */
const ROOMLESS_WRITES: ReadonlyMap<string, number> = new Map([
  ['SQLITE_IOERR_WRITE', 778],
  ['SQLITE_IOERR_SHMOPEN', 4618],
  ['SQLITE_IOERR_SHMSIZE', 4874],
  ['SQLITE_IOERR_SHMMAP', 5386],
]);

/** Less free space than this counts as none, in bytes: that index alone takes 32 KiB. */
export const NO_ROOM = 64 * 1024;

/** Queries the free space of the disk with a folder, as `statfsSync` does. */
type StatFs = (folder: string) => Pick<StatsFs, 'bavail' | 'bsize' | 'blocks'>;

/** Names of primary result codes: the lowest byte of an extended code, such as 1544, for which libsql has no name. */
const PRIMARY_CODES: ReadonlyMap<number, string> = new Map([
  [8, 'SQLITE_READONLY'],
  [10, 'SQLITE_IOERR'],
  [11, 'SQLITE_CORRUPT'],
  [14, 'SQLITE_CANTOPEN'],
]);

/** Code of an error that a trigger raises. */
const RAISED = 'SQLITE_CONSTRAINT_TRIGGER';
/** Codes of a violated primary key or unique constraint. */
const DUPLICATE = ['SQLITE_CONSTRAINT_PRIMARYKEY', 'SQLITE_CONSTRAINT_UNIQUE'];

/** The parts of a libsql error used here. */
interface SqliteError {
  /** Name of the result code. */
  readonly code?: string;
  /** The result code as a number, extended. */
  readonly rawCode?: number;
}

/**
 * Returns the error to throw for a SQLite error: one of the ledger's if it is about an existing key, the file or its
 * disk; otherwise the error itself. `path`: of the ledger. Tests replace `statFs`.
 */
export function explain(path: string, error: unknown, statFs: StatFs = statfsSync): Error {
  const code = codeOf(error);
  if (DUPLICATE.includes(code)) return new DuplicateKey(messageOf(error), error);
  const why = code === RAISED ? whyOfGuard(messageOf(error)) : undefined;
  if (why !== undefined) return new LedgerReadOnly(path, why, error);
  const meant = isRoomless(error) && isFull(path, statFs) ? 'SQLITE_FULL' : code;
  const found = EXPLANATIONS.find(([prefix]) => meant.startsWith(prefix));
  if (found !== undefined) {
    const Explained = MAY_LACK_ROOM.some((prefix) => code.startsWith(prefix)) ? LedgerFull : LedgerUnreachable;
    return new Explained(path, `${found[1]} (${code}: ${messageOf(error)})`, found[2], error);
  }
  return error instanceof Error ? error : new Error(messageOf(error), { cause: error });
}

/** Whether the error is a failed write that may mean a full disk. */
function isRoomless(error: unknown): boolean {
  const { code, rawCode = 0 } = typeof error === 'object' && error !== null ? (error as SqliteError) : {};
  return ROOMLESS_WRITES.has(code ?? '') || [...ROOMLESS_WRITES.values()].includes(rawCode);
}

function isFull(path: string, statFs: StatFs): boolean {
  try {
    const { bavail, bsize, blocks } = statFs(dirname(path));
    // Some file systems do not say how large they are.
    return blocks > 0 && bavail * bsize < NO_ROOM;
  } catch {
    return false;
  }
}

/** Returns SQLite's own name of an error's result code; empty if there is none. */
export function codeOf(error: unknown): string {
  const { code, rawCode = 0 } = typeof error === 'object' && error !== null ? (error as SqliteError) : {};
  if (code?.startsWith('UNKNOWN_') === true) return PRIMARY_CODES.get(rawCode & 0xff) ?? code;
  if (code !== undefined && code !== '') return code;
  // libsql gives no code in this one case: a file that cannot be opened.
  return messageOf(error).startsWith('ConnectionFailed') ? 'SQLITE_CANTOPEN' : '';
}

function messageOf(error: unknown): string {
  return typeof error === 'object' && error !== null && 'message' in error ? String(error.message) : String(error);
}
