import { describe, expect, it } from '@jest/globals';
import Database from 'libsql';
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { pathsIn } from '../../embedded/home.ts';
import { joinServer } from '../../embedded/join-server.ts';
import { KernelLock } from '../../embedded/kernel-lock.ts';
import { readServerRecord, writeServerRecord } from '../../embedded/server-record.ts';
import { adviceFor, ServerUnavailable } from '../../embedded/server-unavailable.ts';
import { folderForEach } from '../support/fresh-folder.ts';
import { serveRaw } from '../support/api-server.ts';

const folder = folderForEach();

const home = (): string => folder('home');

/** A server that prints a line and its arguments, and ends. */
function brokenServer(line: string): string {
  const path = folder('temporal');
  const body = `[ "$1" = --version ] && echo 'temporal version 1 (Server 1.29.1, UI 2)' && exit 0`;
  writeFileSync(path, ['#!/bin/sh', body, 'echo "$@"', 'env', `echo '${line}' >&2`, 'exit 7', ''].join('\n'));
  chmodSync(path, 0o755);
  return path;
}

async function failToJoin(env: NodeJS.ProcessEnv, folderOfHome = home()): Promise<ServerUnavailable> {
  const error: unknown = await joinServer({ home: folderOfHome, env, say: () => undefined }).catch(
    (reason: unknown) => reason,
  );
  if (!(error instanceof ServerUnavailable)) throw new Error('expected ServerUnavailable', { cause: error });
  return error;
}

describe('a server that does not start', () => {
  it('is told with the end of its log and fitting advice, and leaves nothing behind', async () => {
    const cli = brokenServer('write temporal.db: no space left on device');
    const env = { PATH: process.env['PATH'], VOXBATCH_TEMPORAL_CLI: cli, VOXBATCH_API_TOKEN: 's3cret' };
    const error = await failToJoin(env);
    expect(error.message).toMatch(/did not start: it ended with code 7/);
    expect(error.message).toContain('no space left on device');
    expect(error.advice).toMatch(/disk space/);
    expect(existsSync(pathsIn(home()).serverRecord)).toBe(false);

    const log = readFileSync(pathsIn(home()).serverLog, 'utf8');
    expect(log).toMatch(/server start-dev --headless --ip 127\.0\.0\.1 --port \d+ --db-filename .*temporal\.db/);
    expect(log).toContain('--sqlite-pragma synchronous=NORMAL');
    expect(log).not.toContain('s3cret');

    // Nobody is in the home any more.
    const lock = new KernelLock(pathsIn(home()).membersLock);
    expect(lock.tryExclusive()).toBe(true);
    lock.close();
  });

  it('keeps one older log', async () => {
    const env = { PATH: process.env['PATH'], VOXBATCH_TEMPORAL_CLI: brokenServer('first') };
    await failToJoin(env);
    brokenServer('second');
    await failToJoin(env);
    expect(readFileSync(pathsIn(home()).serverLog, 'utf8')).toContain('second');
    expect(readFileSync(`${pathsIn(home()).serverLog}.1`, 'utf8')).toContain('first');
  });

  it('tries another port than the recorded one where that is taken and nobody relies on it', async () => {
    const { port } = await serveRaw((socket) => socket.destroy());
    const env = { PATH: process.env['PATH'], VOXBATCH_TEMPORAL_CLI: brokenServer('whatever') };
    await failToJoin(env);
    writeServerRecord(pathsIn(home()), { pid: 2 ** 22 + 1, port, version: '1', startedAt: '2020-01-01' });
    await failToJoin(env);
    const log = readFileSync(pathsIn(home()).serverLog, 'utf8');
    expect(log).toMatch(/--port \d+/);
    expect(log).not.toContain(`--port ${port} `);
  });
});

describe('a home that cannot be used', () => {
  it('is refused with advice', async () => {
    writeFileSync(folder('file'), '');
    const error = await failToJoin({}, folder('file', 'home'));
    expect(error.message).toMatch(/can't be made/);
    expect(error.advice).toMatch(/VOXBATCH_HOME/);
  });

  it('is refused when temporal.db is no database', async () => {
    const env = { PATH: process.env['PATH'], VOXBATCH_TEMPORAL_CLI: brokenServer('unused') };
    await failToJoin(env);
    writeFileSync(pathsIn(home()).temporal, 'this is not a database, and long enough to look like one. '.repeat(40));
    const error = await failToJoin(env);
    expect(error.message).toMatch(/temporal\.db can't be used/);
    expect(error.advice).toMatch(/Move temporal\.db away/);
  });
});

describe('temporal.db', () => {
  /** Tries to start a server on a database that was in use, and says whether it is still there. */
  async function survives(tables: string): Promise<boolean> {
    const env = { PATH: process.env['PATH'], VOXBATCH_TEMPORAL_CLI: brokenServer('unused') };
    await failToJoin(env);
    const { temporal, temporalVersion } = pathsIn(home());
    const database = new Database(temporal);
    database.exec(`pragma journal_mode=WAL; ${tables}`);
    database.close();
    writeFileSync(temporalVersion, '1.29.1\n');
    await failToJoin(env);
    return existsSync(temporal);
  }

  it('is made anew where a power cut left it without any table, though a server was ready on it', async () => {
    expect(await survives('')).toBe(false);
  });

  it('is kept where it has some', async () => {
    expect(await survives('create table namespaces (id)')).toBe(true);
  });
});

it.each(['', '{', '{"pid":0,"port":7233,"version":"1","startedAt":""}', '{"pid":"1"}'])(
  'server.json is none when it reads %j',
  (text) => {
    writeFileSync(folder('server.json'), text);
    expect(readServerRecord(pathsIn(folder()))).toBeUndefined();
  },
);

it.each([
  ['database or disk is full', /disk space/],
  ['EROFS: read-only file system', /Only if no batch was run from here yet, set VOXBATCH_HOME/],
  ['listen tcp: bind: address already in use', /port/],
  ['SQLITE_NOTADB: file is not a database', /temporal\.db/],
  ['something else', /doctor/],
])('adviceFor fits %j', (words, advice) => expect(adviceFor(words)).toMatch(advice));
