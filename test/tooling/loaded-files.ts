import { execFile } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { compiledOf } from '../compiled.mjs';

/**
 * Command lines whose modules are counted, in a folder with a manifest, and without ledger, store and API. So `run` ends once it has
 * loaded what it works with.
 */
export const COUNTED = {
  '--version': ['--version'],
  status: ['status'],
  plan: ['plan', 'lines.csv'],
  run: ['run', 'lines.csv'],
} as const;
export type Counted = keyof typeof COUNTED;
const NAMES = Object.keys(COUNTED) as Counted[];

export type LoadedFiles = Readonly<Record<Counted, readonly string[]>>;

const LIST = fileURLToPath(new URL('loaded-files.txt', import.meta.url));

/** What each command may load at most, as its files were once. */
export function readList(): LoadedFiles {
  const lines = readFileSync(LIST, 'utf8').trimEnd().split('\n');
  const files = lines.map((line) => line.split(' '));
  return byName((name) => files.flatMap(([file = '', ...names]) => (names.includes(name) ? [file] : [])));
}

export function writeList(loaded: LoadedFiles): void {
  const files = [...new Set(Object.values(loaded).flat())].sort();
  const lines = files.map((file) => [file, ...NAMES.filter((name) => loaded[name].includes(file))].join(' '));
  writeFileSync(LIST, `${lines.join('\n')}\n`);
}

/** Which of our files each command loads, in all of its threads: V8 lists them for coverage. `folder`: an empty one. */
export async function countLoaded(folder: string): Promise<LoadedFiles> {
  writeFileSync(join(folder, 'lines.csv'), 'text,voice\nGood morning.,anna\n');
  const found = await Promise.all(NAMES.map(async (name) => [name, await loadedBy(name, folder)] as const));
  return byName((name) => found.find(([one]) => one === name)?.[1] ?? []);
}

async function loadedBy(name: Counted, folder: string): Promise<readonly string[]> {
  const into = join(folder, name);
  const env = { PATH: process.env['PATH'], HOME: folder, NODE_V8_COVERAGE: into };
  const command = promisify(execFile)(process.execPath, [compiledOf('starters/cli.ts'), ...COUNTED[name]], {
    cwd: folder,
    env,
  });
  // Without a ledger or an API, it ends with an error.
  await command.catch(() => undefined);
  const urls = readdirSync(into).flatMap((file) => {
    const { result } = JSON.parse(readFileSync(join(into, file), 'utf8')) as { readonly result: readonly Script[] };
    return result.map(({ url }) => url).filter((url) => url.startsWith('file:'));
  });
  const files = urls
    .map((url) => relative(compiledOf(''), fileURLToPath(url)))
    .filter((file) => !file.startsWith('..'));
  return [...new Set(files)].map((file) => file.replace(/[.]js$/, '.ts')).sort();
}

interface Script {
  readonly url: string;
}

/** What is wrong with what a command loads now; undefined if it loads no more files than it may. */
export function complaintAbout(
  name: Counted,
  loaded: readonly string[],
  listed: readonly string[],
): string | undefined {
  if (loaded.length <= listed.length) return undefined;
  const fresh = loaded.filter((file) => !listed.includes(file));
  return (
    `voxbatch ${COUNTED[name].join(' ')} loads ${String(loaded.length)} of our files, and may load ${String(listed.length)}. ` +
    `New: ${fresh.join(', ')}. Import what it does not need where it is needed, or put files together that are one thing (docs/decisions/start.md).`
  );
}

function byName<T>(valueOf: (name: Counted) => T): Readonly<Record<Counted, T>> {
  return Object.fromEntries(NAMES.map((name) => [name, valueOf(name)])) as Record<Counted, T>;
}
