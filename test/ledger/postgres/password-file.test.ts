import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { usePasswordFile } from '../../../ledger/postgres/password-file.ts';
import { freshFolder } from '../../support/fresh-folder.ts';

const CONFIG = { host: 'db.example', port: 6432, database: 'voxbatch', user: 'ann' };

/** What a client says to a server that asks for a password, with these lines in its file. */
async function passwordBy(
  lines: readonly string[],
  { mode = 0o600, ...change }: { readonly mode?: number; readonly host?: string; readonly password?: string } = {},
): Promise<unknown> {
  const file = join(freshFolder(), 'pgpass');
  await writeFile(file, lines.join('\n'));
  await chmod(file, mode);
  const client = new pg.Client({ ...CONFIG, ...change });
  usePasswordFile(client, { PGPASSFILE: file });
  const { password } = client as unknown as { readonly password: unknown };
  return typeof password === 'function' ? (password as () => Promise<string>)() : password;
}

describe('the password file', () => {
  it.each([
    ['all fields', ['db.example:6432:voxbatch:ann:secret']],
    ['any', ['*:*:*:*:secret']],
    ['the first that fits', ['# *:*:*:*:no', '', 'other:*:*:*:no', '*:*:*:ann:secret', '*:*:*:*:no']],
    ['lines of Windows', ['*:*:*:bob:no\r', '*:*:*:ann:secret\r', '']],
  ])('has a line: %s', async (_, lines) => {
    expect(await passwordBy(lines)).toBe('secret');
  });

  it('has passwords with colons and backslashes, escaped or not', async () => {
    expect(await passwordBy([String.raw`*:*:*:ann:a\:b\\c:d`])).toBe(String.raw`a:b\c:d`);
    expect(await passwordBy([String.raw`db\.example:*:*:ann:x`])).toBe('x');
  });

  it('has the sockets of this machine as localhost', async () => {
    expect(await passwordBy(['localhost:*:*:ann:secret'], { host: '/var/run/postgresql' })).toBe('secret');
  });

  it('is not asked where there is a password', async () => {
    expect(await passwordBy(['*:*:*:ann:other'], { password: 'given' })).toBe('given');
  });

  it('without a line for the database says that it was read, and which line to add', async () => {
    await expect(passwordBy(['db.example:5432:voxbatch:ann:secret'])).rejects.toMatchObject({
      message: expect.stringMatching(
        /the password file .*pgpass was read and has none for the user ann in the database voxbatch at db\.example:6432$/,
      ),
      advice: expect.stringContaining('db.example:6432:voxbatch:ann:PASSWORD'),
    });
  });

  it('that others may read is not used, and says so', async () => {
    await expect(passwordBy(['*:*:*:ann:secret'], { mode: 0o644 })).rejects.toThrow('others may read it');
  });
});
