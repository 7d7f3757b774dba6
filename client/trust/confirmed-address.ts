import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { readState, stateFolder, writeState } from './state-files.ts';

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
  writeState(file, [...new Set([...read(file), hashOf(use)])]);
}

/** Takes a yes back. */
export function forgetConfirmed(env: NodeJS.ProcessEnv, use: AddressUse): void {
  const file = fileIn(env);
  const others = read(file).filter((hash) => hash !== hashOf(use));
  if (others.length < read(file).length) writeState(file, others);
}

/**
 * Which token a person has allowed to go to which origin, if the address came only from a config file: such a file
 * comes with a folder, and the author of the folder may want the token. Kept outside of any working folder, readable
 * only by its owner, and as hashes.
 */
function read(file: string): readonly string[] {
  const found = readState(file);
  return Array.isArray(found) ? found.filter((one) => typeof one === 'string') : [];
}

function fileIn(env: NodeJS.ProcessEnv): string {
  return join(stateFolder(env), 'confirmed-addresses.json');
}

function hashOf({ baseUrl, token }: AddressUse): string {
  return createHash('sha256')
    .update(`${new URL(baseUrl).origin}\n${token}`)
    .digest('hex');
}
