/** @slow */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { readPage } from '../docs/pages.ts';
import { freshFolder } from '../support/fresh-folder.ts';
import { replayFolder } from '../support/replay-folder.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const run = promisify(execFile);

/** The programs of these pages, and what they say that each prints. */
const PAGES = ['library', 'own-operations'].map((page) => readPage(`docs/guide/${page}.md`)).join('\n');
const EXAMPLES = [...PAGES.matchAll(/```ts\n(.*?)```\s+It prints:\s+```\n(.*?)```/gs)].map(
  ([, program = '', prints = '']) => ({ program, prints }),
);

/** How other people's projects are set up. The last one compiles the programs that are run below. */
const PROJECTS: readonly (readonly [string, object])[] = [
  [
    'of a bundler, which names no types, with a library that is older and has no DOM',
    {
      ...{ module: 'esnext', moduleResolution: 'bundler', target: 'es2022', lib: ['es2022'], noEmit: true },
      ...{ isolatedModules: true, verbatimModuleSyntax: true, noUncheckedIndexedAccess: true },
    },
  ],
  [
    'of Node, as strict as can be',
    { module: 'nodenext', target: 'es2023', exactOptionalPropertyTypes: true, types: ['node'] },
  ],
];

/** A project in which the packed package is installed as npm would, with the dependencies of this checkout. */
let project: string;

beforeAll(async () => {
  project = freshFolder();
  await run(process.execPath, [join(ROOT, 'build-types.mjs')]);
  const pack = ['pack', '--ignore-scripts', '--silent', '--pack-destination', project];
  const { stdout } = await run('npm', pack, { cwd: ROOT });
  const installed = join(project, 'node_modules', 'voxbatch');
  await mkdir(installed, { recursive: true });
  await run('tar', ['-xzf', join(project, stdout.trim()), '-C', installed, '--strip-components', '1']);
  for (const name of await installedWithIt()) {
    const link = join(project, 'node_modules', name);
    await mkdir(dirname(link), { recursive: true });
    await symlink(join(ROOT, 'node_modules', name), link);
  }
  await writeFile(join(project, 'package.json'), JSON.stringify({ type: 'module' }));
  for (const [at, { program }] of EXAMPLES.entries())
    await writeFile(join(project, `example-${String(at)}.ts`), program);
});

/** Packages that npm installs beside ours: what ours needs, and what these need. */
async function installedWithIt(): Promise<readonly string[]> {
  const { packages } = JSON.parse(await readFile(join(ROOT, 'package-lock.json'), 'utf8')) as {
    readonly packages: Readonly<Record<string, { readonly dev?: boolean }>>;
  };
  return Object.entries(packages)
    .flatMap(([path, { dev }]) => (dev === true ? [] : (/^node_modules\/((?:@[^/]+\/)?[^/]+)$/.exec(path)?.[1] ?? [])))
    .filter((name) => existsSync(join(ROOT, 'node_modules', name)));
}

describe('the packed package in a project of its own', () => {
  it.each(PROJECTS)('has types for every program of the guide that clash with no one: %s', async (_, options) => {
    const compilerOptions = { strict: true, skipLibCheck: false, ...options };
    await writeFile(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions }));
    const compiler = join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc');
    const said = await run(process.execPath, [compiler], { cwd: project }).catch((error: unknown) => error);
    expect(said).toMatchObject({ stdout: '' });
  });

  it.each(EXAMPLES.map((example, at) => [at, example.prints] as const))(
    'runs program %s, which prints what the guide says',
    async (at, prints) => {
      const { PATH, HOME, VOXBATCH_TEMPORAL_CLI } = process.env;
      const env = { PATH, HOME, VOXBATCH_TEMPORAL_CLI };
      const { stdout } = await run(process.execPath, [`example-${String(at)}.js`], { cwd: project, env });
      expect(stdout).toBe(prints);
    },
  );

  it('leaves histories that replay', async () => {
    expect(await replayFolder(project)).toBeGreaterThan(0);
  });

  it('lets nothing else be imported', async () => {
    const deep = "await import('voxbatch/dist/starters/main.js')";
    const failed: unknown = await run(process.execPath, ['--input-type=module', '-e', deep], { cwd: project }).catch(
      (error: unknown) => error,
    );
    expect(String(failed)).toContain('ERR_PACKAGE_PATH_NOT_EXPORTED');
  });
});
