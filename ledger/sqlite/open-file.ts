import { closeSync, lstatSync, openSync, rmSync, type Stats } from 'node:fs';
import { access, mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { OTHER_HOME_ADVICE } from '../../contract/other-disk.ts';
import { shellWord } from '../../contract/shell-word.ts';
import { firstLink, makePrivateFile, takeFromOthers } from '../../embedded/private-file.ts';
import { LedgerMissing, LedgerUnreachable } from '../errors.ts';
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
 * Makes sure that there may be a ledger in the file at this path, creating it and its folder if needed, both for their owner alone. Throws {@link
 * LedgerUnreachable}, also for a file on a network disk and for one with a symbolic link beside it, and {@link LedgerMissing}.
 */
export async function admitFile(path: string, { mustExist, disks }: OpenFileOptions): Promise<void> {
  await refuseNetworkDisk(path, disks);
  refuseLinks(path);
  if (mustExist) {
    if (!(await exists(path))) throw new LedgerMissing(path);
  } else {
    await makeFolder(path);
    makePrivateFile(path);
  }
  // The database, its log and its index.
  for (const suffix of ['', '-wal', '-shm']) takeFromOthers(path + suffix);
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

/** Where to look; tests say others. */
export interface Looks {
  /** Effective user; undefined: the system has none. */
  readonly me?: number | undefined;
  readonly look?: (path: string) => Pick<Stats, 'uid'>;
}

/**
 * Says that a path is in a folder of another user, by the nearest folder that can be seen; undefined if it is not, or nobody can tell. Root's is nobody
 * else's: it owns many a mounted volume, which only lacks a right. `may`: what is refused.
 */
export function notYours(
  path: string,
  may: 'read' | 'write to',
  { me = process.geteuid?.(), look = lstatSync }: Looks = {},
): string | undefined {
  if (me === undefined) return undefined;
  for (let folder = dirname(path); ; folder = dirname(folder)) {
    const owner = ownerOf(folder, look);
    if (owner !== undefined)
      return owner === me || owner === 0
        ? undefined
        : `${folder} belongs to another user (uid ${String(owner)}), and is not yours to ${may}`;
    if (folder === dirname(folder)) return undefined;
  }
}

function ownerOf(folder: string, look: (path: string) => Pick<Stats, 'uid'>): number | undefined {
  try {
    return look(folder).uid;
  } catch {
    return undefined;
  }
}
