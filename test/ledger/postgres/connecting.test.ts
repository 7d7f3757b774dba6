import { describe, expect, it, afterAll, beforeAll } from '@jest/globals';
import { LedgerAway, LedgerUnreachable } from '../../../ledger/errors.ts';
import { openLedger } from '../../../ledger/open-ledger.ts';
import { explainConnecting } from '../../../ledger/postgres/errors.ts';
import { advisoryLocks } from '../../../ledger/postgres/locks.ts';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startPostgres } from '../../postgres-server.mjs';
import { offerTls } from '../../support/offer-tls.ts';
import { chmod, writeFile } from 'node:fs/promises';
import pg from 'pg';
import { usePasswordFile } from '../../../ledger/postgres/password-file.ts';
import { freshFolder } from '../../support/fresh-folder.ts';
import { newPlace } from './new-place.ts';

describe('a connection that cannot be made', () => {
  it('names the settings to look at, where the server offers no TLS', async () => {
    const place = `${process.env['TEST_POSTGRES'] ?? ''}?sslmode=require`;
    const opening = openLedger(place);
    await expect(opening).rejects.toThrow(LedgerUnreachable);
    await expect(opening).rejects.toThrow('SSL');
    await expect(opening).rejects.toThrow('offers no TLS');
    await expect(opening).rejects.toThrow('PGSSLMODE=disable');
  });

  it('does so for the lock of workers, too', async () => {
    const locks = advisoryLocks(`${process.env['TEST_POSTGRES'] ?? ''}?sslmode=require`);
    const taken = locks.lockForWorkers('server');
    await expect(taken).rejects.toThrow(LedgerUnreachable);
    await expect(taken).rejects.toThrow('PGSSLMODE=disable');
  });

  it('is waited for where there was one before', () => {
    const error = new Error('There was an error establishing an SSL connection');
    expect(explainConnecting('postgres://ann@db/voxbatch', error, true)).toBeInstanceOf(LedgerAway);
    expect(explainConnecting('postgres://ann@db/voxbatch', error, false)).not.toBeInstanceOf(LedgerAway);
  });

  it('names the address to check, where no server answers', () => {
    const error = Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:1'), { code: 'ECONNREFUSED' });
    expect(explainConnecting('postgres://ann@db/voxbatch', error, false).message).toContain(
      'that VOXBATCH_LEDGER names its host and port',
    );
  });

  it('asks for a password where there is none, in our words', () => {
    // Of pg 8, which has no code for it.
    const error = new Error('SASL: SCRAM-SERVER-FIRST-MESSAGE: client password must be a string');
    expect(explainConnecting('postgres://ann@db/voxbatch', error, false).message).toBe(
      'The ledger postgres://ann@db/voxbatch cannot be used: the database server asks for a password, and there is none (SASL: SCRAM-SERVER-FIRST-MESSAGE: client password must be a string). Set PGPASSWORD, or keep it in ~/.pgpass.',
    );
  });
});

describe('an address that leads to no ledger', () => {
  it('begins none: only whoever is to make the tables does', async () => {
    const place = newPlace();
    for (const mustExist of [true, false]) {
      const opening = openLedger(place, { mustExist });
      await expect(opening).rejects.toThrow(LedgerUnreachable);
      await expect(opening).rejects.toThrow(
        /there is no ledger in its schema "\w+"\. Correct VOXBATCH_LEDGER; or, if it is being restored there, wait until that has ended, and make none; or, .*: voxbatch ledger migrate/,
      );
    }
    await (await openLedger(place, { makesTables: true })).close();
    await (await openLedger(place)).close();
  });

  it.each([
    ['shcema=other', 'not known or not heeded, "shcema"'],
    ['channel_binding=require', 'not known or not heeded, "channel_binding"'],
    ['sslmode=verfiy-full', 'there is no sslmode "verfiy-full"'],
  ])('because of a misspelt parameter is refused: %s', async (parameter, why) => {
    await expect(openLedger(`postgres://ann@127.0.0.1:1/voxbatch?${parameter}`)).rejects.toThrow(why);
  });
});

describe('a connection by TLS', () => {
  let server: Awaited<ReturnType<typeof startPostgres>>;
  let folder: string;

  /** A server whose certificate is for `localhost`, by an authority of its own. */
  beforeAll(async () => {
    server = await startPostgres();
    folder = mkdtempSync(join(tmpdir(), 'vb-tls-'));
    writeFileSync(join(folder, 'ca.pem'), await offerTls(server));
    await (await openLedger(addressOf('localhost', 'disable'), { makesTables: true })).close();
  });
  afterAll(() => {
    server.stop();
    rmSync(folder, { recursive: true });
  });

  function addressOf(host: string, mode: string, root?: string): string {
    const url = new URL(server.url);
    url.hostname = host;
    url.searchParams.set('sslmode', mode);
    if (root !== undefined) url.searchParams.set('sslrootcert', join(folder, root));
    return url.href;
  }

  it.each([
    ['127.0.0.1', 'prefer', undefined],
    ['127.0.0.1', 'require', undefined],
    ['127.0.0.1', 'verify-ca', 'ca.pem'],
    ['localhost', 'verify-full', 'ca.pem'],
  ])('is made to %s with sslmode=%s and authority %s', async (host, mode, root) => {
    await (await openLedger(addressOf(host, mode, root))).close();
  });

  it.each([
    ['localhost', 'verify-full', undefined, /certificate of the database server is not trusted.*Set PGSSLROOTCERT/],
    ['127.0.0.1', 'verify-full', 'ca.pem', /is for another name.*PGSSLMODE=verify-ca/],
    ['localhost', 'verify-ca', undefined, /Set PGSSLROOTCERT/],
    ['localhost', 'verify-full', 'none.pem', /no connection .* can be made \(ENOENT: .*none\.pem/],
  ])('is refused to %s with sslmode=%s and authority %s: %s', async (host, mode, root, why) => {
    await expect(openLedger(addressOf(host, mode, root))).rejects.toThrow(why);
  });
});

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
