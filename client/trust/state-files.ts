import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';

/**
 * What this user has confirmed on this machine lies in their state folder, `$XDG_STATE_HOME/voxbatch`: outside of every
 * working folder, for no folder that came from elsewhere can bring it along. A file for each thing that was confirmed, so
 * that two commands never overwrite each other's.
 */
export function stateFolder(env: NodeJS.ProcessEnv): string {
  const state = env['XDG_STATE_HOME'] || join(env['HOME'] || homedir(), '.local', 'state');
  return join(state, 'voxbatch');
}

/** The file of a kind of thing in the state folder that belongs to a path. */
export function stateFile(env: NodeJS.ProcessEnv, kind: string, path: string): string {
  const name = createHash('sha256').update(path).digest('hex');
  return join(stateFolder(env), kind, `${name}.json`);
}

/** The value in a file of the state folder; undefined if there is none that can be read. */
export function readState(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
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
