import { lstatSync, mkdirSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, resolve, sep } from 'node:path';
import { orElse } from '../../contract/or-else.ts';
import { firstLink, isOtherUser, removeOtherAccess } from '../../embedded/private-file.ts';
import { ownerOf } from '../../embedded/private-home.ts';
import { VoxbatchError } from '../problem.ts';
import type { BackupRefusal } from './backup-refusal.ts';

/** The files of a backup. Paths are absolute. */
export interface BackupPaths {
  readonly folder: string;
  /**
   * Holds the ledger's id. Written first, so that a folder whose first backup was killed still belongs to its ledger.
   */
  readonly owner: string;
  readonly manifest: string;
  /** Folder of the media, by their keys in the store. */
  readonly store: string;
  /** The ledger's copy while it is being written. */
  readonly part: string;
}

/** Returns the paths of a backup's files. Creates nothing. */
export function backupPaths(folder: string): BackupPaths {
  const root = resolve(folder);
  return {
    folder: root,
    owner: join(root, '.ledger'),
    manifest: join(root, 'backup.json'),
    store: join(root, 'store'),
    part: join(root, 'ledger.part'),
  };
}

/** Throws {@link VoxbatchError} (`backup-refused`). */
export function refuseBackup(folder: string, refusal: BackupRefusal): never {
  throw new VoxbatchError({ type: 'backup-refused', folder, refusal });
}

/**
 * System errors for a folder that this user may not write, or that is not a folder. {@link wrapMachineFaults} reports a
 * full disk.
 */
const UNWRITABLE = ['EACCES', 'EPERM', 'EROFS', 'EEXIST', 'ENOTDIR', 'ENAMETOOLONG'];

/** Runs work that writes to the folder. Throws {@link VoxbatchError} (`backup-refused`) if the system forbids that. */
export async function writingTo<R>(folder: string, work: () => Promise<R>): Promise<R> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Error) || !('code' in error) || !UNWRITABLE.includes(String(error.code))) throw error;
    refuseBackup(folder, { why: 'unwritable', says: error.message });
  }
}

/**
 * Creates the folder if needed, makes it private, and claims it for a ledger. Throws {@link VoxbatchError}
 * (`backup-refused`) if it has other content, belongs to another user, or lies in one of the folders `backedUp`.
 *
 * @param ledger the ledger's id
 */
export function claimBackupFolder(paths: BackupPaths, ledger: string, backedUp: readonly string[]): void {
  const { folder, owner } = paths;
  const inside = backedUp.find((one) => isIn(realOf(folder), realOf(one)));
  if (inside !== undefined) refuseBackup(folder, { why: 'inside', of: inside });
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  refuseStrange(paths);
  const claimedBy = orElse(() => readFileSync(owner, 'utf8'), '');
  if (claimedBy !== '' && claimedBy !== ledger) refuseBackup(folder, { why: 'another-ledger' });
  if (claimedBy === '' && readdirSync(folder).some((name) => name !== basename(owner)))
    refuseBackup(folder, { why: 'not-empty' });
  removeOtherAccess(folder);
  if (claimedBy === '') writeFileSync(owner, ledger, { mode: 0o600, flush: true });
  mkdirSync(paths.store, { recursive: true, mode: 0o700 });
}

/**
 * Throws {@link VoxbatchError} (`backup-refused`) for a folder that belongs to another user, or has a link, a pipe or a
 * device in place of a backup's file.
 */
export function refuseStrange({ folder, ...files }: BackupPaths): void {
  const uid = ownerOf(folder);
  const me = process.geteuid?.();
  if (uid !== undefined && me !== undefined && isOtherUser(uid, me)) refuseBackup(folder, { why: 'anothers', uid });
  const link = firstLink(Object.values(files));
  if (link !== undefined) refuseBackup(folder, { why: 'link', path: link });
  // Opening a pipe would wait for a writer.
  const odd = [files.owner, files.manifest].find((path) => orElse(() => !lstatSync(path).isFile(), false));
  if (odd !== undefined) refuseBackup(folder, { why: 'no-file', path: odd });
}

/**
 * Removes the files that a killed backup left, but not `kept`, the ledger of the published backup, if there is one.
 * Returns whether there were any.
 */
export function removeLeftovers({ folder, store }: BackupPaths, kept: string | undefined): boolean {
  const left = readdirSync(folder).filter((name) => isLedger(name) && name !== kept);
  for (const name of left) rmSync(join(folder, name), { force: true });
  const parts = join(store, '.parts');
  const hasParts = orElse(() => readdirSync(parts).length > 0, false);
  rmSync(parts, { recursive: true, force: true });
  return left.length > 0 || hasParts;
}

/** Whether a file is a ledger's copy, complete or not, a file that SQLite left beside it, or an unfinished manifest. */
function isLedger(name: string): boolean {
  return /^ledger[.-]/.test(name) || name.endsWith('.json.part');
}

/** The file name for a ledger's copy. `madeAt`: ISO 8601, UTC. */
export function ledgerFileOf(madeAt: string): string {
  return `ledger-${madeAt.replaceAll(':', '-')}.db`;
}

/** Resolves the links in a path, as far as the path exists. */
function realOf(path: string): string {
  const found = orElse(() => realpathSync(path), undefined);
  if (found !== undefined) return found;
  const parent = dirname(path);
  return parent === path ? path : join(realOf(parent), basename(path));
}

function isIn(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep);
}

/** Whether anything exists at a path, even a broken link. */
export function isThere(path: string): boolean {
  return orElse(() => lstatSync(path), undefined) !== undefined;
}
