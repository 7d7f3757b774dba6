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
import { isOtherUser } from '../../embedded/private-file.ts';

/**
 * The state folder, `$XDG_STATE_HOME/voxbatch`, holds this user's confirmations on this machine. It is outside of every
 * working folder, so that no folder from elsewhere can bring confirmations along. Each confirmation is a separate file,
 * so that concurrent commands never overwrite each other's.
 */
export function stateFolder(env: NodeJS.ProcessEnv): string {
  const named = env['XDG_STATE_HOME'] ?? '';
  // The XDG specification also requires relative paths to be ignored.
  return join(isAbsolute(named) ? named : join(homeOfUser(env), '.local', 'state'), 'voxbatch');
}

/**
 * The user's home folder: `HOME`, unless that could have come with the working folder; then the system's own record.
 */
function homeOfUser(env: NodeJS.ProcessEnv): string {
  const home = env['HOME'] ?? '';
  return isAbsolute(home) && !isBelow(process.cwd(), home) ? home : systemHome();
}

function systemHome(): string {
  try {
    return userInfo().homedir;
  } catch {
    // In a container, the user id may have no account. Nothing can be written at this path.
    return '/nonexistent';
  }
}

/**
 * Whether a path is strictly inside a folder. The root counts as containing nothing: containers without a working
 * folder run there, and nothing came along with it.
 */
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

/** The state file for a kind of confirmation and a path. */
export function stateFile(env: NodeJS.ProcessEnv, kind: string, path: string): string {
  const name = createHash('sha256').update(path).digest('hex');
  return join(stateFolder(env), kind, `${name}.json`);
}

/** Reads a state file's value; undefined if unreadable or written by another user. */
export function readState(file: string): unknown {
  try {
    const open = openSync(file, 'r');
    try {
      const me = process.geteuid?.();
      if (me !== undefined && isOtherUser(fstatSync(open).uid, me)) return undefined;
      return JSON.parse(readFileSync(open, 'utf8'));
    } finally {
      closeSync(open);
    }
  } catch {
    // Nothing was confirmed yet, or the file is unreadable, which is treated the same.
    return undefined;
  }
}

/** Writes a state file atomically, readable only by its owner. Throws if it cannot be written. */
export function writeState(file: string, value: unknown): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const part = `${file}.${String(process.pid)}.part`;
  writeFileSync(part, `${JSON.stringify(value)}\n`, { mode: 0o600 });
  renameSync(part, file);
}

/** Removes a state file, if it exists. */
export function removeState(file: string): void {
  rmSync(file, { force: true });
}
