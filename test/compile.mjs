import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build, stop, version } from 'esbuild';
import { COMPILED, compiledOf, ROOT } from './compiled.mjs';

const NO_SOURCES = ['node_modules', 'dist', 'docs'];
/** What tests import from Jest, for modules that several test files share. */
const JEST_GLOBALS = pathToFileURL(join(import.meta.dirname, 'jest-globals.mjs')).href;

/**
 * Compiles product and tests to JavaScript that Node loads natively (`runtime.mjs`), one file for each that has changed since. Jest calls it before the
 * tests.
 */
export default async function compile() {
  const stamp = join(COMPILED, 'made-by');
  const maker = `esbuild ${version}\n${readFileSync(import.meta.filename, 'utf8')}`;
  if (!existsSync(stamp) || readFileSync(stamp, 'utf8') !== maker) rmSync(COMPILED, { recursive: true, force: true });
  const sources = readdirSync(ROOT, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith('.') && !NO_SOURCES.includes(entry.name))
    .flatMap(({ name }) => filesOf(join(ROOT, name)))
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.d.ts'));
  removeOthers(new Set(sources.map(compiledOf)));
  await build({
    entryPoints: sources.filter(isChanged),
    outbase: ROOT,
    outdir: COMPILED,
    bundle: true, // of one file each: what it imports is external
    packages: 'external',
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
    sourcemap: true,
    sourcesContent: false,
    plugins: [inItsPlace],
    logLevel: 'warning',
  });
  writeFileSync(stamp, maker);
  await stop();
}

/** A module says where its source lies, and imports its neighbours as they are compiled. */
const inItsPlace = {
  name: 'in-its-place',
  setup({ onLoad, onResolve }) {
    onLoad({ filter: /[.]ts$/ }, async ({ path }) => {
      const text = await readFile(path, 'utf8');
      const contents = text
        .replaceAll('import.meta.url', JSON.stringify(pathToFileURL(path).href))
        .replaceAll('import.meta.dirname', JSON.stringify(dirname(path)));
      return { loader: 'ts', contents };
    });
    onResolve({ filter: /^@jest.globals$/ }, () => ({ path: JEST_GLOBALS, external: true }));
    onResolve({ filter: /^[.]/ }, ({ path, resolveDir }) =>
      path.endsWith('.ts')
        ? { path: path.replace(/[.]ts$/, '.js'), external: true }
        : { path: pathToFileURL(resolve(resolveDir, path)).href, external: true },
    );
  },
};

function filesOf(folder) {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((file) => join(folder, file));
}

function isChanged(source) {
  const compiled = statSync(compiledOf(source), { throwIfNoEntry: false });
  return compiled === undefined || compiled.mtimeMs < statSync(source).mtimeMs;
}

/** A source that is gone cannot be imported any more. */
function removeOthers(wanted) {
  const made = existsSync(COMPILED) ? filesOf(COMPILED).filter((file) => file.endsWith('.js')) : [];
  for (const file of made) if (!wanted.has(file)) rmSync(file);
}
