import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type pg from 'pg';

/** The server asks for a password, and none is found. */
export class PasswordMissing extends Error {
  /** Also the message. */
  readonly problem: string;
  readonly advice: string;

  constructor(problem: string, advice: string, cause?: unknown) {
    super(problem, cause === undefined ? {} : { cause });
    this.problem = problem;
    this.advice = advice;
  }
}

/** The user that connects, and to which database. */
type Connecting = Pick<pg.Client, 'host' | 'port' | 'database' | 'user'>;

/** Permission bits with which others may read, write or execute a file. */
const OF_OTHERS = 0o077;

/**
 * Makes a client without a password read it from the password file (`PGPASSFILE`, `~/.pgpass`) when the server asks for
 * one, at each connection. `pg` would do so, too, but prints a deprecation warning, and does not report a file without
 * a matching line.
 */
export function usePasswordFile(client: pg.Client, env: NodeJS.ProcessEnv = process.env): void {
  const holder = client as unknown as { password: unknown };
  if (typeof holder.password === 'string') return;
  holder.password = () => passwordFor(client, env);
}

/**
 * Finds the password in the file: https://www.postgresql.org/docs/current/libpq-pgpass.html. Throws {@link
 * PasswordMissing}.
 */
async function passwordFor(client: Connecting, env: NodeJS.ProcessEnv): Promise<string> {
  const asks = 'the database server asks for a password';
  const file = fileOf(env);
  try {
    const { mode } = await stat(file);
    if (process.platform !== 'win32' && (mode & OF_OTHERS) !== 0) {
      const advice = `Make it yours alone: chmod 600 ${file}`;
      throw new PasswordMissing(`${asks}, and the password file ${file} is not used: others may read it`, advice);
    }
    const wanted = wordsOf(client);
    const found = (await readFile(file, 'utf8')).split(/\r?\n/).map(fieldsOf).find(isFor(wanted));
    if (found?.[4] !== undefined && found[4] !== '') return found[4];
    const [host, port, database, user] = wanted;
    throw new PasswordMissing(
      `${asks}, and the password file ${file} was read and has none for the user ${user} in the database ${database} at ${host}:${port}`,
      `Add the line ${wanted.join(':')}:PASSWORD to it, or set PGPASSWORD.`,
    );
  } catch (error) {
    if (error instanceof PasswordMissing) throw error;
    const { code = '' } = error as { readonly code?: string };
    const why = code === 'ENOENT' ? 'there is none' : `the password file ${file} cannot be read (${code})`;
    throw new PasswordMissing(`${asks}, and ${why}`, 'Set PGPASSWORD, or keep it in ~/.pgpass (PGPASSFILE).', error);
  }
}

function fileOf({ PGPASSFILE = '', APPDATA = '.', HOME = '.' }: NodeJS.ProcessEnv): string {
  if (PGPASSFILE !== '') return PGPASSFILE;
  return process.platform === 'win32' ? join(APPDATA, 'postgresql', 'pgpass.conf') : join(HOME, '.pgpass');
}

/** The fields to match. */
type Wanted = readonly [host: string, port: string, database: string, user: string];

function wordsOf({ host, port, database = '', user = '' }: Connecting): Wanted {
  // A path is a folder of Unix sockets, which the file calls `localhost`.
  return [host.startsWith('/') ? 'localhost' : host, String(port), database, user];
}

/** Host, port, database and user; the password is the rest of the line. */
const FIELDS = 5;

/**
 * The fields of a line. A backslash escapes the character after it. A comment has no fields, and so matches nothing.
 */
function fieldsOf(line: string): readonly string[] {
  if (line.startsWith('#')) return [];
  const fields = [''];
  for (const part of line.match(/\\.|[^\\]/gu) ?? []) {
    if (part === ':' && fields.length < FIELDS) fields.push('');
    else fields.push(`${fields.pop() ?? ''}${part.startsWith('\\') ? part.slice(1) : part}`);
  }
  return fields;
}

function isFor(wanted: Wanted): (fields: readonly string[]) => boolean {
  return (fields) => wanted.every((word, index) => fields[index] === '*' || fields[index] === word);
}
