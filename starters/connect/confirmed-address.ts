import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import * as z from 'zod';

/**
 * Which token a person has allowed to go to which origin, if the address came only from a config file: such a file
 * comes with a folder, and the author of the folder may want the token. Kept outside of any working folder, readable
 * only by its owner, and as hashes.
 */
const confirmations = z.array(z.string());

/** An address and the token that would go to it. */
export interface AddressUse {
  readonly baseUrl: string;
  readonly token: string;
}

/** Whether a person has allowed this token for the origin of this address. */
export function isConfirmed(env: NodeJS.ProcessEnv, use: AddressUse): boolean {
  return read(fileIn(env)).includes(hashOf(use));
}

/** Remembers a yes. Throws if it cannot be written. */
export function rememberConfirmed(env: NodeJS.ProcessEnv, use: AddressUse): void {
  const file = fileIn(env);
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const part = `${file}.${String(process.pid)}.part`;
  writeFileSync(part, `${JSON.stringify([...new Set([...read(file), hashOf(use)])])}\n`, { mode: 0o600 });
  renameSync(part, file);
}

function read(file: string): readonly string[] {
  try {
    return confirmations.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch {
    // Nothing was confirmed yet, or the file is unreadable: ask the person again.
    return [];
  }
}

function fileIn(env: NodeJS.ProcessEnv): string {
  const state = env['XDG_STATE_HOME'] || join(env['HOME'] || homedir(), '.local', 'state');
  return join(state, 'voxbatch', 'confirmed-addresses.json');
}

function hashOf({ baseUrl, token }: AddressUse): string {
  return createHash('sha256')
    .update(`${new URL(baseUrl).origin}\n${token}`)
    .digest('hex');
}
