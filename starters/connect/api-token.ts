import { messageOf } from '../../contract/message-of.ts';
import { readFileSync } from 'node:fs';
import type { Settings } from '../../client/settings.ts';
import { ExitError } from '../exit-error.ts';
import { ownEnvironment } from '../own-environment.ts';

/** Tokens already read: a file such as a pipe can be read only once. */
const read = new WeakMap<Settings, string>();

/**
 * The API token: `VOXBATCH_API_TOKEN`, or the trimmed content of the file that `VOXBATCH_API_TOKEN_FILE` names. Read
 * once for the same settings. Never printed.
 *
 * @throws ExitError (`api`) if there is none, if both are set, or if the file cannot be read or holds no token.
 */
export function readToken(settings: Settings): string {
  const token = read.get(settings) ?? findToken(settings.env);
  if (token === undefined) {
    throw tokenError(
      'No API token. Set VOXBATCH_API_TOKEN to a token of your account, or VOXBATCH_API_TOKEN_FILE to a file with it.',
    );
  }
  read.set(settings, token);
  return token;
}

/** The same; undefined if neither is set. An empty variable counts as not set. */
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
 * Advice for a wrong token, as the beginning of a sentence: set the variable, or the file, that it came from. Setting
 * the other one as well is an error.
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
