import { messageOf } from '../contract/message-of.ts';
import * as z from 'zod';
import {
  accessSync,
  constants,
  mkdirSync,
  statSync,
  closeSync,
  openSync,
  readFileSync,
  readSync,
  renameSync,
  writeFileSync,
} from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join, resolve, dirname } from 'node:path';
import { downloadServer, installServer } from './download-server.ts';
import { lockExclusively, KernelLock } from './kernel-lock.ts';
import { type FindServerOptions, PINNED_CLI, type ServerBinary } from './server-binary.ts';
import { ServerUnavailable } from './server-unavailable.ts';
import { runCommand } from './child-process.ts';

/** A binary that can run a server. */
export interface FoundServer extends ServerBinary {
  /** Which of the five ways of {@link findServer} found it. */
  readonly from: 'VOXBATCH_TEMPORAL_CLI' | 'PATH' | 'cache' | 'download' | 'go';
}

/**
 * Finds the Temporal command line, which contains the server. Five ways, in this order:
 *
 * 1. `VOXBATCH_TEMPORAL_CLI`. It is deliberate, so a wrong path is an error and nothing else is tried.
 * 2. `temporal` on the PATH.
 * 3. voxbatch's cache, which earlier downloads and builds have filled: `$XDG_CACHE_HOME` (or `~/.cache`)
 * `/voxbatch/temporal-1.5.1/temporal`.
 * 4. The official download, by the Temporal SDK, into that cache. Fails fast without a network.
 * 5. `go install`, into that cache, if Go is there. About four minutes on two cores.
 *
 * Each binary must answer `--version`, or have answered it before. One process at a time fills the cache; the others
 * wait and then find it there. Throws {@link ServerUnavailable}, which names all five and what happened with each.
 */
export async function findServer(options: FindServerOptions): Promise<FoundServer> {
  const { env } = options;
  const cache = join(env['XDG_CACHE_HOME'] || join(env['HOME'] || homedir(), '.cache'), 'voxbatch');
  const check: Check = async (path) => {
    const knownServerFile = join(cache, 'known-server.json');
    const known = readKnownServer(knownServerFile, path);
    if (known !== undefined) return known;
    const checked = await checkServer(path, options);
    if (typeof checked !== 'string') saveKnownServer(knownServerFile, checked);
    return checked;
  };
  const named = env['VOXBATCH_TEMPORAL_CLI'];
  if (named) {
    const found = await check(resolve(named));
    if (typeof found !== 'string') return { ...found, from: 'VOXBATCH_TEMPORAL_CLI' };
    throw new ServerUnavailable(
      `VOXBATCH_TEMPORAL_CLI is set, but ${found}.`,
      'Set it to the `temporal` executable, or unset it to let voxbatch find one.',
    );
  }
  const path = findOnPath(env);
  const onPath = path === undefined ? 'there is no `temporal`' : await check(path);
  if (typeof onPath !== 'string') return { ...onPath, from: 'PATH' };
  return fromCache(cache, ['VOXBATCH_TEMPORAL_CLI: not set', `PATH: ${onPath}`], check, options);
}

/** Returns the binary at a path, or what is wrong with it. */
type Check = (path: string) => Promise<ServerBinary | string>;

/** Tries the last three ways. `tried`: what happened with the first two, for the error message. */
async function fromCache(
  cache: string,
  tried: readonly string[],
  check: Check,
  options: FindServerOptions,
): Promise<FoundServer> {
  const folder = join(cache, `temporal-${PINNED_CLI}`);
  const target = join(folder, 'temporal');
  const readCache = async (): Promise<FoundServer | string> => {
    if (!isExecutable(target)) return `there is no ${target}`;
    const found = await check(target);
    return typeof found === 'string' ? found : { ...found, from: 'cache' };
  };
  const cached = await readCache();
  if (typeof cached !== 'string') return cached;
  const lock = openCache(cache, folder);
  if (typeof lock === 'string') {
    throw notFound([...tried, `cache: ${cached}`, `download: ${lock}`, `go: ${lock}`]);
  }
  try {
    await lockExclusively(lock, {
      signal: options.signal,
      onSlow: () => {
        options.say('Another voxbatch is installing the Temporal server; waiting for it.');
      },
    });
    const meanwhile = await readCache();
    if (typeof meanwhile !== 'string') return meanwhile;
    const failures = [...tried, `cache: ${meanwhile}`];
    for (const [from, fetchServer] of [
      ['download', downloadServer],
      ['go', installServer],
    ] as const) {
      const failed = await fetchServer({ ...options, target });
      const found = failed ?? (await check(target));
      if (typeof found !== 'string') return { ...found, from };
      failures.push(`${from}: ${found}`);
    }
    throw notFound(failures);
  } finally {
    lock.close();
  }
}

function notFound(tried: readonly string[]): ServerUnavailable {
  return new ServerUnavailable(
    `No Temporal server was found:\n${tried.map((line) => `  ${line}`).join('\n')}`,
    'Install the Temporal command line so that `temporal` is on the PATH, or set VOXBATCH_TEMPORAL_CLI to it, or ' +
      'install Go 1.25 or newer, or set TEMPORAL_ADDRESS to use a cluster.',
  );
}

/** Creates the cache folder and opens the cache's lock. Returns an error message if that fails. */
function openCache(cache: string, folder: string): KernelLock | string {
  try {
    mkdirSync(folder, { recursive: true });
    return new KernelLock(join(cache, 'temporal.lock'));
  } catch (error) {
    return `the cache can't be written: ${messageOf(error)}`;
  }
}

function findOnPath(env: NodeJS.ProcessEnv): string | undefined {
  return (env['PATH'] ?? '')
    .split(delimiter)
    .filter((folder) => folder !== '')
    .map((folder) => resolve(folder, 'temporal'))
    .find(isExecutable);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

/** Workflow updates, which control a batch, are generally available from this server version on. */
const MIN_SERVER_VERSION = '1.25.0';
const CHECK_TIMEOUT_MS = 15_000;

/** Runs `--version`. Returns the binary, or a sentence that says why it can't be used. */
async function checkServer(
  path: string,
  options: { readonly env: NodeJS.ProcessEnv; readonly signal?: AbortSignal | undefined },
): Promise<ServerBinary | string> {
  const result = await runCommand(path, ['--version'], { ...options, timeoutMs: CHECK_TIMEOUT_MS });
  if (!result.ok) return `${path} --version: ${result.why}`;
  const version = /temporal version .*Server v?(\d+\.\d+\.\d+)/i.exec(result.output)?.[1];
  if (version === undefined) {
    return `${path} is not the Temporal command line: --version printed "${result.output.slice(0, 100)}"`;
  }
  if (compareVersions(version, MIN_SERVER_VERSION) < 0)
    return `${path} has server ${version}; ${MIN_SERVER_VERSION} or newer is needed`;
  return { path, version };
}

/** Compares versions such as `1.29.1`. Returns a number below 0 if `a` is older than `b`, 0 if they are equal. */
export function compareVersions(a: string, b: string): number {
  return a.localeCompare(b, 'en', { numeric: true });
}

/** Content of `known-server.json`. `print`: the file's fingerprint. */
const knownServer = z.object({ path: z.string(), print: z.string(), version: z.string() });

/**
 * Returns a binary whose version {@link saveKnownServer} saved, if it is still the same file; otherwise undefined.
 * Saves the tenth of a second that running `--version` takes.
 */
export function readKnownServer(file: string, path: string): ServerBinary | undefined {
  try {
    const known = knownServer.parse(JSON.parse(readFileSync(file, 'utf8')));
    if (known.path !== path || known.print !== fingerprintOf(path)) return undefined;
    return { path, version: known.version };
  } catch {
    return undefined;
  }
}

/**
 * Saves the version of a binary. Skips scripts, because the program that a script starts can change while the script
 * stays the same. Never throws.
 */
export function saveKnownServer(file: string, { path, version }: ServerBinary): void {
  try {
    if (isScript(path)) return;
    mkdirSync(dirname(file), { recursive: true });
    const part = `${file}.${String(process.pid)}.part`;
    writeFileSync(part, `${JSON.stringify({ path, print: fingerprintOf(path), version })}\n`);
    renameSync(part, file);
  } catch {
    // The next search runs `--version` again.
  }
}

/** Returns a fingerprint, which changes whenever the file behind the path changes. */
function fingerprintOf(path: string): string {
  const { ino, size, mtimeMs, ctimeMs } = statSync(path);
  return [ino, size, mtimeMs, ctimeMs].join(' ');
}

function isScript(path: string): boolean {
  const head = Buffer.alloc(2);
  const file = openSync(path, 'r');
  try {
    readSync(file, head);
    return head.toString('latin1') === '#!';
  } finally {
    closeSync(file);
  }
}
