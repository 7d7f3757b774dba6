import { messageOf } from '../../contract/message-of.ts';
import { readFileSync } from 'node:fs';
import type { Settings } from '../../client/settings.ts';
import { ExitError } from '../exit-error.ts';
import { ownEnvironment } from '../own-environment.ts';

/** Tokens already read, by settings: a file such as a pipe can be read only once. */
const tokens = new WeakMap<Settings, string>();

/**
 * Returns the API token: `VOXBATCH_API_TOKEN`, or the trimmed content of the file that `VOXBATCH_API_TOKEN_FILE` names.
 * Reads the file once for the same settings.
 *
 * @throws ExitError (`api`) if there is none, if both are set, or if the file cannot be read or holds no token.
 */
export function readToken(settings: Settings): string {
  const token = tokens.get(settings) ?? findToken(settings.env);
  if (token === undefined) {
    throw tokenError(
      'No API token. Set VOXBATCH_API_TOKEN to a token of your account, or VOXBATCH_API_TOKEN_FILE to a file with it.',
    );
  }
  tokens.set(settings, token);
  return token;
}

/**
 * Returns the token as {@link readToken} does; undefined if no variable is set. An empty variable counts as not set.
 */
export function findToken(env: NodeJS.ProcessEnv): string | undefined {
  const given = env['VOXBATCH_API_TOKEN']?.trim() ?? '';
  const file = env['VOXBATCH_API_TOKEN_FILE'] ?? '';
  if (file === '') return given === '' ? undefined : given;
  if (given !== '') {
    throw tokenError(
      'Both VOXBATCH_API_TOKEN and VOXBATCH_API_TOKEN_FILE are set. Unset one: they may be of two accounts.',
    );
  }
  return readFile(file);
}

/**
 * Returns the beginning of a sentence that tells the user to replace a wrong token, in the variable or the file that it
 * came from. `whose`: whose token is needed, such as "your account".
 */
export function tokenAdvice(whose?: string, env: NodeJS.ProcessEnv = ownEnvironment()): string {
  const file = env['VOXBATCH_API_TOKEN_FILE'] ?? '';
  const token = whose === undefined ? '' : `a token of ${whose}`;
  if (file === '') return `Set VOXBATCH_API_TOKEN${token === '' ? '' : ` to ${token}`}`;
  return `Put ${token === '' ? 'the right token' : token} into ${file} (VOXBATCH_API_TOKEN_FILE)`;
}

function readFile(file: string): string {
  let token: string;
  try {
    token = readFileSync(file, 'utf8').trim();
  } catch (error) {
    throw tokenError(`VOXBATCH_API_TOKEN_FILE cannot be read: ${messageOf(error)}.`, error);
  }
  if (token === '') throw tokenError(`VOXBATCH_API_TOKEN_FILE: ${file} is empty.`);
  if (/\s/.test(token)) throw tokenError(`VOXBATCH_API_TOKEN_FILE: expected ${file} to hold a token and nothing else.`);
  return token;
}

function tokenError(message: string, cause?: unknown): ExitError {
  return new ExitError('api', `${message} Nothing was spent.`, { cause });
}
