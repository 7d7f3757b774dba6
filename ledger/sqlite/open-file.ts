import { closeSync, openSync, rmSync } from 'node:fs';
import { access, chmod, lstat, mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Dialect } from 'kysely';
import { OTHER_HOME_ADVICE } from '../../contract/other-disk.ts';
import { shellWord } from '../../contract/shell-word.ts';
import { firstLink, makePrivateFile } from '../../embedded/kernel-lock.ts';
import { LedgerMissing, LedgerUnreachable } from '../errors.ts';
import { openSqlite } from './dialect.ts';
import { notYours, type Looks } from './not-yours.ts';
import { refuseNetworkDisk, type Disks } from './network-disk.ts';

/** How a database file is opened. */
export interface OpenFileOptions {
  /** Throw {@link LedgerMissing}, and create no file. */
  readonly mustExist: boolean;
  /** Tells network disks from others; tests replace it. Default: the system. */
  readonly disks?: Disks;
}

/** What lies beside the database under its name: SQLite's files, the reserve, the locks and the former ledger. */
const BESIDE = [
  ...['-wal', '-shm', '-journal'],
  ...['.reserve', '.reserve.part'],
  ...['.lock', '.server', '.loading', '.files'],
  ...['.former', '.former.part'],
];

/**
 * Opens the database file at this path, creating it and its folder if needed, both for their owner alone. Throws {@link LedgerUnreachable}, also
 * for a file on a network disk and for one with a symbolic link beside it, and {@link LedgerMissing}.
 */
export async function openFile(path: string, { mustExist, disks }: OpenFileOptions): Promise<Dialect> {
  await refuseNetworkDisk(path, disks);
  refuseLinks(path);
  if (mustExist) {
    if (!(await exists(path))) throw new LedgerMissing(path);
  } else {
    await makeFolder(path);
    makePrivateFile(path);
  }
  await takeFromOthers(path);
  return openSqlite(path);
}

/** Makes an empty file where there is none, with its folder. `onMade` throws: there is none again. */
export async function makeFile(path: string, onMade: () => void): Promise<void> {
  await refuseNetworkDisk(path);
  await makeFolder(path);
  try {
    closeSync(openSync(path, 'wx', 0o600));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return;
    throw unreachable(path, error);
  }
  try {
    onMade();
  } catch (error) {
    rmSync(path);
    throw error;
  }
}

async function exists(path: string): Promise<boolean> {
  try {
    await access(path);
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return false;
    throw unreachable(path, error, 'read');
  }
}

/** The folder may be somebody else's work, whose links would let us write over any file of this user. The ledger itself may be one. */
function refuseLinks(path: string): void {
  const link = firstLink(BESIDE.map((suffix) => path + suffix));
  if (link === undefined) return;
  const trouble = `${link} is a symbolic link, which could lead to any file of yours`;
  throw new LedgerUnreachable(path, trouble, `Remove it: rm ${shellWord(link)}`);
}

async function makeFolder(path: string): Promise<void> {
  try {
    // It holds the users' texts.
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  } catch (error) {
    throw unreachable(path, error);
  }
}

/**
 * The database, its log and its index are for their owner alone. One that only looks may lack the right to see to it. Where the ledger is a link,
 * nobody knows yet what it leads to, so that keeps its mode.
 */
async function takeFromOthers(path: string): Promise<void> {
  for (const suffix of ['', '-wal', '-shm']) {
    try {
      const found = await lstat(path + suffix);
      const { mode } = found;
      if (!found.isSymbolicLink() && (mode & 0o077) !== 0) await chmod(path + suffix, mode & 0o700);
    } catch {
      // Not there, another user's, or on a file system without rights.
    }
  }
}

/** Exported for its test: root, as whom tests may run, is refused nothing. `may`: what was tried. */
export function unreachable(
  path: string,
  error: unknown,
  may: Parameters<typeof notYours>[1] = 'write to',
  looks?: Looks,
): LedgerUnreachable {
  const { code, message: detail } = error as NodeJS.ErrnoException;
  const another = code === 'EACCES' || code === 'EPERM' ? notYours(path, may, looks) : undefined;
  if (another !== undefined) {
    const advice = 'Set VOXBATCH_HOME to a folder of your own: it knows nothing of what was paid there.';
    return new LedgerUnreachable(path, `${another} (${code ?? ''})`, advice, error);
  }
  return new LedgerUnreachable(
    path,
    detail,
    `Make its folder writable, then run the same command again. ${OTHER_HOME_ADVICE}`,
    error,
  );
}
