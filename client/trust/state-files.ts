import { createHash } from 'node:crypto';
import {
  closeSync,
  fstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { userInfo } from 'node:os';
import { dirname, isAbsolute, join, relative } from 'node:path';
import { isAnothers } from '../../embedded/private-home.ts';

/**
 * What this user has confirmed on this machine lies in their state folder, `$XDG_STATE_HOME/voxbatch`: outside of every
 * working folder, for no folder that came from elsewhere may bring it along. A file for each thing that was confirmed, so
 * that two commands never overwrite each other's.
 */
export function stateFolder(env: NodeJS.ProcessEnv): string {
  const named = env['XDG_STATE_HOME'] ?? '';
  // The standard of that variable, too, wants a relative one ignored.
  return join(isAbsolute(named) ? named : join(homeOfUser(env), '.local', 'state'), 'voxbatch');
}

/** The home folder: `HOME`, unless it could have come with the working folder; then the one that the system knows. */
function homeOfUser(env: NodeJS.ProcessEnv): string {
  const home = env['HOME'] ?? '';
  return isAbsolute(home) && !isBelow(process.cwd(), home) ? home : systemHome();
}

function systemHome(): string {
  try {
    return userInfo().homedir;
  } catch {
    // In a container, the user's number may have no name. Nothing can be written there.
    return '/nonexistent';
  }
}

/** Whether a place is within a folder, and not that folder itself. Nothing came with the root, where a container works that names no folder. */
function isBelow(folder: string, place: string): boolean {
  if (folder === '/') return false;
  const way = relative(folder, realOf(place));
  return way !== '' && way !== '..' && !way.startsWith('../') && !isAbsolute(way);
}

function realOf(place: string): string {
  try {
    return realpathSync(place);
  } catch {
    return place;
  }
}

/** The file of a kind of thing in the state folder that belongs to a path. */
export function stateFile(env: NodeJS.ProcessEnv, kind: string, path: string): string {
  const name = createHash('sha256').update(path).digest('hex');
  return join(stateFolder(env), kind, `${name}.json`);
}

/** The value in a file of the state folder; undefined if there is none that can be read, or another user wrote it. */
export function readState(file: string): unknown {
  try {
    const open = openSync(file, 'r');
    try {
      const me = process.geteuid?.();
      if (me !== undefined && isAnothers(fstatSync(open).uid, me)) return undefined;
      return JSON.parse(readFileSync(open, 'utf8'));
    } finally {
      closeSync(open);
    }
  } catch {
    // Nothing was confirmed yet, or the file is unreadable: as good as nothing.
    return undefined;
  }
}

/** Writes a file of the state folder, whole or not at all, readable by its owner only. Throws if it cannot be written. */
export function writeState(file: string, value: unknown): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const part = `${file}.${String(process.pid)}.part`;
  writeFileSync(part, `${JSON.stringify(value)}\n`, { mode: 0o600 });
  renameSync(part, file);
}

/** Removes a file of the state folder, if it is there. */
export function removeState(file: string): void {
  rmSync(file, { force: true });
}
