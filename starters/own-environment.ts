import { readFileSync } from 'node:fs';
import { HANDED_OVER, isOwnSecret } from '../contract/own-secrets.ts';
import { eraseInitial } from './initial-environment.ts';

/** Our secrets, once {@link hideSecrets} has taken them out of `process.env`. */
const hidden: Record<string, string> = {};

/**
 * Takes our secrets out of this process's environment, the one that it was started with included: a hook that we start
 * could read them there, as its parent's. For a process of our own only; a program that uses the library keeps its own.
 */
export function hideSecrets(): void {
  const names = Object.keys(process.env).filter(isOwnSecret);
  if (names.length === 0) return;
  for (const name of names) {
    hidden[name] = process.env[name] ?? '';
    Reflect.deleteProperty(process.env, name);
  }
  if (hidden[HANDED_OVER] !== undefined) Object.assign(hidden, readHandedOver());
  eraseInitial(isOwnSecret);
}

/** The environment that this command was given, our secrets included. */
export function ownEnvironment(): NodeJS.ProcessEnv {
  return { ...process.env, ...hidden };
}

/** What the process that started this one wrote to its stdin. Nothing came: it has died, and there is no token. */
function readHandedOver(): NodeJS.ProcessEnv {
  const text = readFileSync(0, 'utf8');
  return text === '' ? {} : (JSON.parse(text) as NodeJS.ProcessEnv);
}
