/** @slow */
import { beforeEach, describe, expect, it } from '@jest/globals';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findServer, type FoundServer } from '../../embedded/find-server.ts';
import { KernelLock } from '../../embedded/kernel-lock.ts';
import { ServerUnavailable } from '../../embedded/server-unavailable.ts';
import { folderForEach } from '../support/fresh-folder.ts';

const folder = folderForEach();
let bin: string;
let cache: string;
let said: string[];

beforeEach(() => {
  bin = folder('bin');
  cache = folder('cache');
  mkdirSync(bin);
  said = [];
});

const target = (): string => join(cache, 'voxbatch', 'temporal-1.5.1', 'temporal');

/** A shell script; it finds the shell's own commands only. */
function script(path: string, ...lines: string[]): string {
  mkdirSync(join(path, '..'), { recursive: true });
  writeFileSync(path, ['#!/bin/sh', ...lines, ''].join('\n'));
  chmodSync(path, 0o755);
  return path;
}

function temporal(path: string, version: string): string {
  return script(path, `echo "temporal version 1.2.3 (Server ${version}, UI 2.0.0)"`);
}

/** A Go whose install makes a fake server, and counts how often it was asked for one. */
function fakeGo(): void {
  script(
    join(bin, 'go'),
    `[ "$1" = version ] && exit 0`,
    `echo "$*" >> "${folder('go.log')}"`,
    `/usr/bin/env >> "${folder('go.env')}"`,
    `{ echo '#!/bin/sh'; echo 'echo "temporal version 0.0.0-DEV (Server 1.29.1, UI 2.42.1)"'; } > "$GOBIN/temporal"`,
    `/bin/chmod 755 "$GOBIN/temporal"`,
  );
}

function find(env: NodeJS.ProcessEnv = {}, signal?: AbortSignal): Promise<FoundServer> {
  return findServer({
    // No name is looked up and no host reached: a proxy at a closed port refuses the download at once.
    env: { PATH: bin, XDG_CACHE_HOME: cache, HOME: folder(), HTTPS_PROXY: 'http://127.0.0.1:9', ...env },
    say: (line) => said.push(line),
    signal,
  });
}

describe('findServer', () => {
  it('takes the first of VOXBATCH_TEMPORAL_CLI, PATH, cache', async () => {
    const named = temporal(folder('named'), '1.31.0');
    const onPath = temporal(join(bin, 'temporal'), '1.30.0');
    temporal(target(), '1.29.0');
    expect(await find({ VOXBATCH_TEMPORAL_CLI: named })).toEqual({
      path: named,
      version: '1.31.0',
      from: 'VOXBATCH_TEMPORAL_CLI',
    });
    expect(await find()).toEqual({ path: onPath, version: '1.30.0', from: 'PATH' });
    rmSync(onPath);
    expect(await find()).toEqual({ path: target(), version: '1.29.0', from: 'cache' });
    expect(await find({ XDG_CACHE_HOME: undefined, HOME: folder('none') }).catch(() => 'none')).toBe('none');
    expect(said).toHaveLength(1);
  });

  it('keeps its cache in ~/.cache where XDG_CACHE_HOME is not set', async () => {
    const path = temporal(folder('.cache', 'voxbatch', 'temporal-1.5.1', 'temporal'), '1.29.1');
    expect(await find({ XDG_CACHE_HOME: '' })).toMatchObject({ path, from: 'cache' });
  });

  it.each([
    ['is not there', (path: string): string => path],
    ['is something else', (path: string): string => script(path, 'echo hello')],
    ['fails', (path: string): string => script(path, 'exit 3')],
    ['is too old', (path: string): string => temporal(path, '1.20.0')],
  ])('refuses a VOXBATCH_TEMPORAL_CLI that %s, although there is one on the PATH', async (_, make) => {
    temporal(join(bin, 'temporal'), '1.30.0');
    const path = make(folder('named'));
    await expect(find({ VOXBATCH_TEMPORAL_CLI: path })).rejects.toThrow(/^VOXBATCH_TEMPORAL_CLI is set, but .*named/);
  });

  it('passes over a `temporal` on the PATH that is too old', async () => {
    temporal(join(bin, 'temporal'), '1.9.0');
    temporal(target(), '1.29.1');
    expect(await find()).toMatchObject({ from: 'cache' });
  });

  it('builds with Go into the cache when nothing else works, and finds it there the next time', async () => {
    fakeGo();
    expect(await find({ VOXBATCH_API_TOKEN: 'secret' })).toEqual({ path: target(), version: '1.29.1', from: 'go' });
    expect(said).toEqual([
      expect.stringContaining('Downloading the official one'),
      expect.stringContaining('about 5 minutes'),
      'The Temporal server is built.',
    ]);
    expect(readFileSync(folder('go.log'), 'utf8')).toBe('install github.com/temporalio/cli/cmd/temporal@v1.5.1\n');
    expect(readFileSync(folder('go.env'), 'utf8')).not.toContain('secret');
    expect(readdirSync(join(target(), '..'))).toEqual(['temporal']);
    expect(await find()).toMatchObject({ from: 'cache' });
  });

  it('asks a `temporal` on the PATH for its version without a secret in its environment', async () => {
    script(
      join(bin, 'temporal'),
      `/usr/bin/env > "${folder('temporal.env')}"`,
      'echo "temporal version 1 (Server 1.30.0)"',
    );
    const secrets = {
      VOXBATCH_API_TOKEN: 'secret-1',
      TEMPORAL_API_KEY: 'secret-2',
      TEMPORAL_TLS_CLIENT_KEY_DATA: 'secret-3',
      NPM_TOKEN: 'secret-4',
      AWS_SECRET_ACCESS_KEY: 'secret-5',
      PGPASSWORD: 'secret-6',
    };
    expect(await find(secrets)).toMatchObject({ from: 'PATH' });
    const seen = readFileSync(folder('temporal.env'), 'utf8');
    expect(seen).toContain(`XDG_CACHE_HOME=${cache}`);
    expect(seen).not.toContain('secret-');
  });

  it('builds once when two look at the same time', async () => {
    fakeGo();
    const found = await Promise.all([find(), find()]);
    expect(found.map(({ from }) => from).sort()).toEqual(['cache', 'go']);
    expect(readFileSync(folder('go.log'), 'utf8').trim().split('\n')).toHaveLength(1);
  });

  it('names all five ways and what happened with each', async () => {
    script(join(bin, 'go'), `[ "$1" = version ] && exit 0`, 'echo no space; exit 1');
    const error: unknown = await find().catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(ServerUnavailable);
    const lines = String(error).split('\n').slice(1);
    expect(lines).toEqual([
      '  VOXBATCH_TEMPORAL_CLI: not set',
      '  PATH: there is no `temporal`',
      `  cache: there is no ${target()}`,
      expect.stringMatching(/^ {2}download: .*error sending request/i),
      '  go: go install ended with code 1: no space',
    ]);
    expect(existsSync(target())).toBe(false);
    expect(readdirSync(join(target(), '..'))).toEqual([]);
  });

  it('says so where there is no Go and where the cache cannot be made', async () => {
    await expect(find()).rejects.toThrow(/go: Go is not there/);
    writeFileSync(folder('file'), '');
    await expect(find({ XDG_CACHE_HOME: folder('file') })).rejects.toThrow(/download: the cache can't be written/);
  });

  it('can be aborted while it waits for another process', async () => {
    mkdirSync(join(target(), '..'), { recursive: true });
    const lock = new KernelLock(join(cache, 'voxbatch', 'temporal.lock'));
    expect(lock.tryExclusive()).toBe(true);
    const aborting = new AbortController();
    const finding = find({}, aborting.signal);
    aborting.abort(new Error('Ctrl-C'));
    await expect(finding).rejects.toThrow('Ctrl-C');
    lock.close();
  });
});
