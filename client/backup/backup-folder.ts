import { lstatSync, mkdirSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, resolve, sep } from 'node:path';
import { orElse } from '../../contract/or-else.ts';
import { isOtherUser } from '../../embedded/private-file.ts';
import { ownerOf } from '../../embedded/private-home.ts';
import { firstLink, removeOtherAccess } from '../../embedded/private-file.ts';
import { VoxbatchError } from '../problem.ts';
import type { BackupRefusal } from './backup-refusal.ts';

/** Where the parts of a backup lie in its folder. Paths are absolute. */
export interface BackupPaths {
  readonly folder: string;
  /** Says which ledger the folder is for, before there is a whole backup. */
  readonly owner: string;
  readonly manifest: string;
  /** Media, by their keys. */
  readonly store: string;
  /** The ledger while it is written. */
  readonly part: string;
}

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

/** System errors of a folder that is not for this user, or is none. A full disk has words of its own. */
const UNWRITABLE = ['EACCES', 'EPERM', 'EROFS', 'EEXIST', 'ENOTDIR', 'ENAMETOOLONG'];

/** Does this with the folder. Throws {@link VoxbatchError} (`backup-refused`) where the system refuses it. */
export async function writingTo<R>(folder: string, work: () => Promise<R>): Promise<R> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Error) || !('code' in error) || !UNWRITABLE.includes(String(error.code))) throw error;
    refuseBackup(folder, { why: 'unwritable', says: error.message });
  }
}

/**
 * Makes the folder, or an existing one private, and this ledger's. Throws {@link VoxbatchError} (`backup-refused`) for
 * one that has anything else in it, is another user's, or lies in one of `within`.
 */
export function claimBackupFolder(paths: BackupPaths, ledger: string, within: readonly string[]): void {
  const { folder, owner } = paths;
  const inside = within.find((one) => isIn(realOf(folder), realOf(one)));
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
 * Throws {@link VoxbatchError} (`backup-refused`) for a folder of another user, or with links, pipes and the like in
 * place of our files.
 */
export function refuseStrange({ folder, ...files }: BackupPaths): void {
  const [uid, me] = [ownerOf(folder), process.geteuid?.()];
  if (uid !== undefined && me !== undefined && isOtherUser(uid, me)) refuseBackup(folder, { why: 'anothers', uid });
  const link = firstLink(Object.values(files));
  if (link !== undefined) refuseBackup(folder, { why: 'link', path: link });
  // To open a pipe would wait for a writer.
  const odd = [files.owner, files.manifest].find((path) => orElse(() => !lstatSync(path).isFile(), false));
  if (odd !== undefined) refuseBackup(folder, { why: 'no-file', path: odd });
}

/**
 * What a backup that was killed has left. `kept`: the ledger of the whole backup, if there is one. Says whether there
 * was anything.
 */
export function removeLeftovers({ folder, store }: BackupPaths, kept: string | undefined): boolean {
  const left = readdirSync(folder).filter((name) => isLedger(name) && name !== kept);
  for (const name of left) rmSync(join(folder, name), { force: true });
  const parts = join(store, '.parts');
  const hasParts = orElse(() => readdirSync(parts).length > 0, false);
  rmSync(parts, { recursive: true, force: true });
  return left.length > 0 || hasParts;
}

/** A ledger in the folder, whole or not, or what SQLite has left beside it. */
function isLedger(name: string): boolean {
  return /^ledger[.-]/.test(name) || name.endsWith('.json.part');
}

/** Name of the file of a ledger that is of this time. */
export function ledgerFileOf(madeAt: string): string {
  return `ledger-${madeAt.replaceAll(':', '-')}.db`;
}

/** A path with the links in it resolved as far as it exists. */
function realOf(path: string): string {
  const found = orElse(() => realpathSync(path), undefined);
  if (found !== undefined) return found;
  const parent = dirname(path);
  return parent === path ? path : join(realOf(parent), basename(path));
}

function isIn(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep);
}

/** Whether there is anything at a path. */
export function isThere(path: string): boolean {
  return orElse(() => lstatSync(path), undefined) !== undefined;
}
