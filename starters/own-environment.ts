import { readFileSync, closeSync, openSync, readSync, writeSync } from 'node:fs';
import { environmentForUser, SECRETS_ON_STDIN, isOwnSecret } from '../contract/environment.ts';

/**
 * Keeps voxbatch's secrets (API token, ledger password …) away from hooks and other programs that it starts. `start.ts`
 * hides them first; commands then read their settings from {@link ownEnvironment} instead of `process.env`.
 */

/** The secrets, once {@link hideSecrets} has taken them out of `process.env`. */
const hidden: Record<string, string> = {};

/**
 * Removes voxbatch's secrets from this process's environment. The initial environment is erased as well, because hooks
 * could read it as their parent's. Only for the command line; a program that uses the library keeps its environment.
 */
export function hideSecrets(): void {
  const secret = Object.entries(process.env).filter(([name, value]) => isOwnSecret(name, value));
  if (secret.length === 0) return;
  const withoutSecrets = environmentForUser(process.env);
  for (const [name, value = ''] of secret) {
    hidden[name] = value;
    Reflect.deleteProperty(process.env, name);
  }
  if (hidden[SECRETS_ON_STDIN] !== undefined) Object.assign(hidden, readHandedOver());
  eraseInitial((name) => hidden[name] !== undefined);
  // A database URL stays without its password, for programs that need the address.
  for (const [name] of secret) if (withoutSecrets[name] !== undefined) process.env[name] = withoutSecrets[name];
}

/** Returns the environment that this command was started with, secrets included. */
export function ownEnvironment(): NodeJS.ProcessEnv {
  return { ...process.env, ...hidden };
}

/**
 * Reads the secrets that the parent process wrote to our stdin. If nothing arrived, the parent has died, and there is
 * no token.
 */
function readHandedOver(): NodeJS.ProcessEnv {
  const text = readFileSync(0, 'utf8');
  return text === '' ? {} : (JSON.parse(text) as NodeJS.ProcessEnv);
}

/**
 * The indexes of the environment's start and end address among the fields of `/proc/self/stat` after the process's
 * name.
 */
const [ENV_START, ENV_END] = [47, 48];

/**
 * Erases variables from this process's initial environment, which every process of the user can read
 * (`/proc/PID/environ`) whatever `process.env` has. Returns whether none is left. Possible only on Linux.
 *
 * They must be removed from `process.env` first, because it refers to the text that is erased here.
 */
function eraseInitial(isErased: (name: string) => boolean): boolean {
  if (process.platform !== 'linux') return false;
  try {
    const stat = readFileSync('/proc/self/stat', 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const [start, end] = [Number(fields[ENV_START]), Number(fields[ENV_END])];
    const memory = openSync('/proc/self/mem', 'r+');
    try {
      const initial = Buffer.alloc(end - start);
      readSync(memory, initial, 0, initial.length, start);
      for (const { name, from, to } of entriesOf(initial)) {
        if (isErased(name)) writeSync(memory, Buffer.alloc(to - from), 0, to - from, start + from);
      }
    } finally {
      closeSync(memory);
    }
    return !entriesOf(readFileSync('/proc/self/environ')).some(({ name }) => isErased(name));
  } catch {
    // `/proc` is missing or not writable.
    return false;
  }
}

interface Entry {
  readonly name: string;
  /** First byte of the entry. */
  readonly from: number;
  /** The byte after its last one. */
  readonly to: number;
}

/** Finds the entries of an environment, a sequence of `NAME=value` texts that each end with NUL. */
function entriesOf(environment: Buffer): readonly Entry[] {
  const entries: Entry[] = [];
  for (let from = 0; from < environment.length;) {
    const end = environment.indexOf(0, from);
    const to = end < 0 ? environment.length : end;
    const [name = ''] = environment.toString('utf8', from, to).split('=', 1);
    entries.push({ name, from, to });
    from = to + 1;
  }
  return entries;
}
