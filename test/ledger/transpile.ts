import { transformFile } from '@swc/core';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';

const ROOT = resolve(import.meta.dirname, '..', '..');

/** What a ledger is made of: files, or folders with all that is in them. */
const LEDGER = [
  ...['threads', 'ledger', 'contract', 'policy'],
  ...['kernel-lock', 'private-file', 'server-unavailable'].map((name) => `embedded/${name}.ts`),
];

/**
 * Writes the sources of the ledger, and these of its tests, as JavaScript that Node runs without a loader, in a folder inside
 * node_modules, where packages resolve. Returns that folder, in which paths are as in the project.
 */
export async function transpile(...tests: readonly string[]): Promise<{ folder: string; remove: () => Promise<void> }> {
  const cache = join(ROOT, 'node_modules', '.cache');
  await mkdir(cache, { recursive: true });
  const folder = await mkdtemp(join(cache, 'transpiled-'));
  await writeFile(join(folder, 'package.json'), '{"type":"module"}');
  for (const source of [...LEDGER, ...tests.map((name) => `test/ledger/${name}.ts`)]) {
    for (const file of await listFiles(join(ROOT, source))) {
      const { code } = await transformFile(file, {
        swcrc: false,
        jsc: { target: 'es2022', parser: { syntax: 'typescript' } },
        module: { type: 'es6' },
      });
      const target = join(folder, relative(ROOT, file).replace(/\.ts$/, '.js'));
      await mkdir(dirname(target), { recursive: true });
      await writeFile(target, code.replaceAll(/((?:from |import\()'\.[^']*)\.ts'/g, "$1.js'"));
    }
  }
  return { folder, remove: () => rm(folder, { recursive: true, force: true }) };
}

async function listFiles(path: string): Promise<readonly string[]> {
  if (path.endsWith('.ts')) return [path];
  const entries = await readdir(path, { recursive: true });
  return entries.filter((name) => name.endsWith('.ts')).map((name) => join(path, name));
}
