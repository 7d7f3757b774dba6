import { transform } from '@swc/core';
import { type ChildProcess, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, extname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const CACHE = join(ROOT, 'node_modules', '.cache', 'voxbatch-test');
const ROOMS = [
  ...[
    'contract',
    'policy',
    'threads',
    'api',
    'ledger',
    'store',
    'inputs',
    'batches',
    'workflows',
    'activities',
    'worker',
    'embedded',
  ],
  ...['results', 'starters', 'simulator', join('test', 'support')],
];

/**
 * Starts a Node process that runs one of our TypeScript files, for tests that kill real processes. Node 20 reads no
 * TypeScript, so all rooms and `test/support` are transpiled to `node_modules/.cache`, once per content.
 *
 * @param entry path of the `.ts` file from the project's root
 * @param env the whole environment of the process
 * @param user id of the user and group that it runs as; only root may choose one. Default: ours
 * @returns the process, with all three streams as pipes
 */
export async function spawnTypescript(
  entry: string,
  args: readonly string[] = [],
  env: NodeJS.ProcessEnv = process.env,
  user?: number,
): Promise<ChildProcess> {
  const folder = await transpileRooms();
  const file = join(folder, entry.replace(/\.ts$/, '.js'));
  return spawn(process.execPath, ['--enable-source-maps', file, ...args], {
    env,
    stdio: 'pipe',
    ...(user === undefined ? {} : { uid: user, gid: user, cwd: '/' }),
  });
}

/** Transpiles all rooms; returns the folder that mirrors the project's root, with `.js` files. */
export async function transpileRooms(): Promise<string> {
  const files = ROOMS.flatMap((room) => listFiles(join(ROOT, room)));
  const hash = createHash('sha256');
  const sources = files.map((file) => {
    const content = readFileSync(file);
    hash.update(`${relative(ROOT, file)}\0${content.length}\0`).update(content);
    return { path: relative(ROOT, file), content };
  });
  const folder = join(CACHE, hash.digest('hex').slice(0, 16));
  if (existsSync(folder)) return folder;

  // Two test files may do this at once: each works in a folder of its own, and the first to rename it wins.
  const part = `${folder}.${process.pid}.${process.env['JEST_WORKER_ID'] ?? '0'}.part`;
  rmSync(part, { recursive: true, force: true });
  mkdirSync(part, { recursive: true });
  writeFileSync(join(part, 'package.json'), JSON.stringify({ type: 'module' }));
  for (const { path, content } of sources) {
    const isTypescript = extname(path) === '.ts' && !path.endsWith('.d.ts');
    const target = join(part, isTypescript ? path.replace(/\.ts$/, '.js') : path);
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, isTypescript ? await transpile(path, content.toString('utf8')) : content);
  }
  try {
    renameSync(part, folder);
  } catch (error) {
    rmSync(part, { recursive: true, force: true });
    if (!existsSync(folder)) throw error;
  }
  return folder;
}

async function transpile(path: string, source: string): Promise<string> {
  const options = {
    filename: join(ROOT, path),
    sourceMaps: 'inline' as const,
    swcrc: false,
    // swc knows `rewriteRelativeImportExtensions`, its types do not yet.
    jsc: { target: 'es2022', parser: { syntax: 'typescript' }, rewriteRelativeImportExtensions: true } as const,
    module: { type: 'es6' } as const,
  };
  return (await transform(source, options)).code;
}

function listFiles(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}
