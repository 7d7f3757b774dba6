import { execFile, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import { findThreadEntry } from '../../threads/find-entry.ts';
import { freshFolder } from '../support/fresh-folder.ts';
import { LiveWorld } from '../support/live-world.ts';
import { serve } from '../support/api-server.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const DIST = join(ROOT, 'dist');

/** Runs the built command line in a process that tells at its end which files it loaded. */
function loadedBy(args: readonly string[]): { readonly code: number | null; readonly loaded: string } {
  const run = spawnSync(process.execPath, [join(DIST, 'starters', 'cli.js'), ...args], {
    env: { ...process.env, NODE_DEBUG: 'esm' },
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  return { code: run.status, loaded: run.stderr };
}

/** Built files that hold a module, by a path that esbuild notes above each. */
function filesWith(module: string): readonly string[] {
  return readdirSync(join(DIST, 'chunks'))
    .filter((name) => name.endsWith('.js'))
    .filter((name) => readFileSync(join(DIST, 'chunks', name), 'utf8').includes(`// ${module}`));
}

describe('the build', () => {
  it('makes every file that is started by its path', () => {
    const threads = ['ledger', 'store'].flatMap((room) =>
      readdirSync(join(ROOT, room))
        .filter((name) => name.endsWith('-thread.ts'))
        .map((name) => join(room, name.replace('.ts', '.js'))),
    );
    const started = [
      ...['cli.js', 'main.js', 'demo.js'].map((name) => join('starters', name)),
      join('simulator', 'main.js'),
      join('worker', 'workflow-bundle.cjs'),
      join('worker', 'workflow-thread.js'),
      ...threads,
    ];
    expect(started.filter((name) => !existsSync(join(DIST, name)))).toEqual([]);
  });

  it('lets every module find the thread that it starts', () => {
    const rooms = ['client', 'ledger', 'store'];
    const callers = rooms.flatMap((room) =>
      readdirSync(join(ROOT, room), { recursive: true, encoding: 'utf8' }).map((name) => join(room, name)),
    );
    const starts = callers.flatMap((file) => {
      const text = file.endsWith('.ts') ? readFileSync(join(ROOT, file), 'utf8') : '';
      const entry = /findThreadEntry\(import\.meta\.url, '([^']+)'\)/.exec(text)?.[1];
      return entry === undefined ? [] : [{ file, entry }];
    });
    expect(starts.length).toBeGreaterThanOrEqual(rooms.length);
    const placeOf = (file: string): string => pathToFileURL(join(DIST, file.replace('.ts', '.js'))).href;
    expect(starts.filter(({ file, entry }) => findThreadEntry(placeOf(file), entry) === undefined)).toEqual([]);
  });

  it('loads neither the Temporal SDK nor a simulator for a command that needs none', () => {
    const heavy = ['node_modules/@temporalio/client/', 'node_modules/fastify/', 'node_modules/mediabunny/'];
    const chunks = heavy.flatMap(filesWith);
    expect(chunks.length).toBeGreaterThan(2);
    const { code, loaded } = loadedBy(['completion', 'bash']);
    expect(code).toBe(0);
    expect(loaded).toContain('starters/cli.js');
    expect(chunks.filter((chunk) => loaded.includes(chunk))).toEqual([]);
  });

  it('looks at batches and plans them without the Temporal SDK, gRPC and a driver of PostgreSQL', async () => {
    const world = await LiveWorld.open({ rows: 2 });
    const heavy = ['@temporalio/client/', '@grpc/grpc-js/', 'protobufjs/', 'pg/'];
    const chunks = heavy.flatMap((name) => filesWith(`node_modules/${name}`));
    expect(chunks.length).toBeGreaterThanOrEqual(heavy.length);
    for (const args of [['plan', 'lines.csv'], ['list'], ['status']]) {
      const { stderr } = await world.run(args, { env: { NODE_DEBUG: 'esm' } });
      expect(stderr).toContain('starters/cli.js');
      expect({ args, loaded: chunks.filter((chunk) => stderr.includes(chunk)) }).toEqual({ args, loaded: [] });
    }
  });

  it('loads neither fastify nor a simulator for a worker', async () => {
    const world = await LiveWorld.open({ rows: 2 });
    const { code, stderr } = await world.run(['run', 'lines.csv'], { env: { NODE_DEBUG: 'esm' } });
    expect(code).toBe(0);
    const isLoaded = (chunk: string): boolean => stderr.includes(chunk);
    expect(filesWith('activities/lane/work-row.ts').every(isLoaded)).toBe(true);
    const chunks = ['node_modules/fastify/', 'simulator/start-simulator.ts', 'simulator/routes/'].flatMap(filesWith);
    expect(chunks.length).toBeGreaterThan(0);
    expect(chunks.filter(isLoaded)).toEqual([]);
  });

  it.each(['AWS_PROFILE', 'the default profile', 'web identity'])('finds the keys of AWS by %s', async (way) => {
    const home = freshFolder();
    mkdirSync(join(home, '.aws'));
    const name = way === 'AWS_PROFILE' ? 'voices' : 'default';
    const keys = `[${name}]\naws_access_key_id = KEYOFPROFILE\naws_secret_access_key = secret\n`;
    if (way !== 'web identity') writeFileSync(join(home, '.aws', 'credentials'), keys);
    writeFileSync(join(home, 'token'), 'token-of-the-pod');
    const asked: string[] = [];
    const { origin: url } = await serve(({ headers: { authorization = '' }, body }, response) => {
      asked.push(`${authorization} ${body}`);
      response.writeHead(403).end('<Error><Code>InvalidAccessKeyId</Code><Message>unknown key</Message></Error>');
    });
    const identity = {
      AWS_WEB_IDENTITY_TOKEN_FILE: join(home, 'token'),
      AWS_ROLE_ARN: 'arn:aws:iam::123456789012:role/voices',
      AWS_ENDPOINT_URL_STS: url,
    };
    const { stderr, stdout } = await promisify(execFile)(
      process.execPath,
      [join(DIST, 'starters', 'cli.js'), 'doctor'],
      {
        cwd: home,
        env: {
          ...{ PATH: process.env['PATH'], HOME: home, AWS_REGION: 'us-east-1', AWS_EC2_METADATA_DISABLED: 'true' },
          ...{ VOXBATCH_STORE: 's3://media/vox', AWS_ENDPOINT_URL_S3: url },
          // Nothing listens there, so that this is all that takes time.
          ...{
            TEMPORAL_ADDRESS: '127.0.0.1:1',
            VOXBATCH_API_URL: 'http://127.0.0.1:1/api/open/v1',
            VOXBATCH_API_TOKEN: 'x',
          },
          ...(way === 'AWS_PROFILE' ? { AWS_PROFILE: name } : {}),
          ...(way === 'web identity' ? identity : {}),
        },
      },
    ).catch((error: unknown) => error as { readonly stderr: string; readonly stdout: string });
    expect(stdout + stderr).not.toContain('not a function');
    expect(asked[0]).toContain(way === 'web identity' ? 'token-of-the-pod' : 'Credential=KEYOFPROFILE/');
  });

  it('leaves out what the SDK bundles workflows with', () => {
    expect(filesWith('node_modules/webpack/')).toEqual([]);
    expect(filesWith('node_modules/@temporalio/worker/lib/worker.js')).toHaveLength(1);
  });
});
