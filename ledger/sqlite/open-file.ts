import { closeSync, lstatSync, openSync, rmSync, type Stats } from 'node:fs';
import { access } from 'node:fs/promises';
import { dirname } from 'node:path';
import { OTHER_HOME_ADVICE } from '../../contract/other-disk.ts';
import { shellWord } from '../../contract/shell-word.ts';
import { firstLink, makePrivateFile, makePrivateFolder, removeOtherAccess } from '../../embedded/private-file.ts';
import { LedgerMissing, LedgerUnreachable } from '../errors.ts';
import { refuseNetworkDisk, type Disks } from './network-disk.ts';

/** How a database file is opened. */
export interface OpenFileOptions {
  /** Throw {@link LedgerMissing}, and create no file. */
  readonly mustExist: boolean;
  /** Detects network disks. Default: the system's calls; tests replace it. */
  readonly disks?: Disks;
}

/** Suffixes of the files next to the database: SQLite's own, the reserve, the locks and the former ledger. */
const BESIDE = [
  ...['-wal', '-shm', '-journal'],
  ...['.reserve', '.reserve.part'],
  ...['.lock', '.server', '.loading', '.files'],
  ...['.former', '.former.part'],
  ...['.backup', '.restored.part'],
];

/**
 * Ensures that the file at this path may hold a ledger, creating it and its folder, accessible only to the owner, if
 * needed. Throws {@link LedgerUnreachable}, also for a file on a network disk or one with a symbolic link next to it,
 * and {@link LedgerMissing}.
 */
export async function prepareFile(path: string, { mustExist, disks }: OpenFileOptions): Promise<void> {
  await refuseNetworkDisk(path, disks);
  refuseLinks(path);
  if (mustExist) {
    if (!(await exists(path))) throw new LedgerMissing(path);
  } else {
    makeFolder(path);
    makePrivateFile(path);
  }
  // The database, its log and its index.
  for (const suffix of ['', '-wal', '-shm']) removeOtherAccess(path + suffix);
}

/** Creates an empty file, and its folder, if there is none. If `onMade` throws, the file is removed again. */
export async function makeFile(path: string, onMade: () => void): Promise<void> {
  await refuseNetworkDisk(path);
  makeFolder(path);
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

/**
 * Throws if a file beside the ledger is a symbolic link: the folder may come from somebody else, whose links could make
 * voxbatch overwrite any file of this user. The ledger itself may be a link.
 */
function refuseLinks(path: string): void {
  const link = firstLink(BESIDE.map((suffix) => path + suffix));
  if (link === undefined) return;
  const trouble = `${link} is a symbolic link, which could lead to any file of yours`;
  throw new LedgerUnreachable(path, trouble, `Remove it: rm ${shellWord(link)}`);
}

function makeFolder(path: string): void {
  try {
    // The ledger holds the users' texts.
    makePrivateFolder(dirname(path));
  } catch (error) {
    throw unreachable(path, error);
  }
}

/**
 * Returns the error for a refused access to the ledger's file or folder. `may`: the attempted access. Exported for its
 * test, because tests may run as root, which is never refused.
 */
export function unreachable(
  path: string,
  error: unknown,
  may: Parameters<typeof notYours>[1] = 'write to',
  calls?: OwnerCalls,
): LedgerUnreachable {
  const { code, message: detail } = error as NodeJS.ErrnoException;
  const another = code === 'EACCES' || code === 'EPERM' ? notYours(path, may, calls) : undefined;
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

/** The system calls of {@link notYours}; tests replace them. */
export interface OwnerCalls {
  /** Effective user id; undefined if the system has none. */
  readonly me?: number | undefined;
  readonly lstat?: (path: string) => Pick<Stats, 'uid'>;
}

/**
 * Returns a sentence if a path is in another user's folder, judging by the nearest visible folder; undefined if it is
 * not, or that is unknown. Root does not count as another user: it owns many mounted volumes, which only lack a
 * permission. `may`: the refused access.
 */
export function notYours(
  path: string,
  may: 'read' | 'write to',
  { me = process.geteuid?.(), lstat = lstatSync }: OwnerCalls = {},
): string | undefined {
  if (me === undefined) return undefined;
  for (let folder = dirname(path); ; folder = dirname(folder)) {
    const owner = ownerOf(folder, lstat);
    if (owner !== undefined)
      return owner === me || owner === 0
        ? undefined
        : `${folder} belongs to another user (uid ${String(owner)}), and is not yours to ${may}`;
    if (folder === dirname(folder)) return undefined;
  }
}

function ownerOf(folder: string, lstat: (path: string) => Pick<Stats, 'uid'>): number | undefined {
  try {
    return lstat(folder).uid;
  } catch {
    return undefined;
  }
}
