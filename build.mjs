/**
 * `npm run build`: makes `dist/` from the sources. A file is bundled with all that it imports, because finding and
 * reading 1,500 small modules took most of a command's start (docs/decisions/start.md). What several entries share lies
 * in `dist/chunks/`, and what is imported lazily is still loaded only when it is asked for.
 *
 * Types are not checked here; `npm run check` does that.
 */
import { readdirSync } from 'node:fs';
import { copyFile, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';

const ROOT = import.meta.dirname;
const DIST = join(ROOT, 'dist');

/**
 * What is started or imported by its path: the package's entries and its executables. Each lies just one folder below
 * `dist/`, as `placesOfOurs` needs it.
 */
const EXECUTABLES = [
  'client/index',
  'simulator/start-simulator',
  'starters/cli',
  'starters/main',
  'starters/demo',
  'simulator/main',
];

/** The Temporal SDK starts its workflow thread with this file. */
const WORKFLOW_THREAD = '@temporalio/worker/lib/workflow/workflow-worker-thread';
const WORKFLOW_THREAD_HERE = 'worker/workflow-thread';

/** What the Temporal SDK loads by its path; it has nothing to bundle. */
const LOADED_BY_SDK = 'worker/encryption/encode-failures.cjs';

const NO_ENTRIES = ['node_modules', 'dist', 'threads', 'test', 'bench', 'docs'];

/** Modules that threads start with: `ROOM/…-thread.ts`. The room `threads/` only has what they share. */
function threadEntries() {
  const rooms = readdirSync(ROOT, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  return rooms
    .filter(({ name }) => !name.startsWith('.') && !NO_ENTRIES.includes(name))
    .flatMap(({ name }) => readdirSync(join(ROOT, name)).map((file) => `${name}/${file}`))
    .filter((file) => file.endsWith('-thread.ts'))
    .map((file) => file.replace(/[.]ts$/, ''));
}

/**
 * Our modules find files by their own place (`import.meta.url`). Bundled, they lie elsewhere, so the place they would
 * have if each were compiled by itself is put in its stead. Every output lies one folder below `dist/`, so one relative
 * path is right for all.
 */
const placesOfOurs = {
  name: 'places-of-ours',
  setup({ onLoad }) {
    onLoad({ filter: /[.]ts$/ }, async ({ path }) => {
      const text = await readFile(path, 'utf8');
      const place = JSON.stringify(`../${relative(ROOT, path).replace(/[.]ts$/, '.js')}`);
      return { loader: 'ts', contents: text.replaceAll('import.meta.url', `new URL(${place}, import.meta.url).href`) };
    });
  },
};

/** The same for the Temporal SDK, which also finds its native part by its place. */
const placesOfTemporal = {
  name: 'places-of-temporal',
  setup({ onLoad, onResolve }) {
    onLoad({ filter: /node_modules.@temporalio.worker.lib.*[.]js$/ }, async ({ path }) => {
      const text = await readFile(path, 'utf8');
      const contents = text.replaceAll(/require[.]resolve\('([.][^']*)'\)/g, (_, name) => {
        const module = join(dirname(path), name).replace(/^.*node_modules./, '');
        return `require.resolve('${module === WORKFLOW_THREAD ? `../${WORKFLOW_THREAD_HERE}.js` : module}')`;
      });
      return { loader: 'js', contents };
    });
    onResolve({ filter: /^[.]\/common$/ }, ({ importer }) =>
      /node_modules.@temporalio.core-bridge.index[.]js$/.test(importer)
        ? { path: '@temporalio/core-bridge/common.js', external: true }
        : undefined,
    );
  },
};

/**
 * Temporal's message types, without those of its cloud's own API and what HTTP gateways are told: a third of them.
 * Every thread that loads the SDK builds them all.
 */
const typesInUse = {
  name: 'types-in-use',
  setup({ onLoad }) {
    onLoad({ filter: /node_modules.@temporalio.proto.protos.json-module[.]js$/ }, async ({ path }) => {
      const text = await readFile(path, 'utf8');
      const [begin, end] = [text.indexOf('.addJSON(') + '.addJSON('.length, text.lastIndexOf('});') + 1];
      const types = JSON.parse(text.slice(begin, end), (key, value) =>
        key === 'methods' ? withoutOptions(value) : value,
      );
      delete types.temporal.nested.api.nested.cloud;
      delete types.grpc.nested.gateway;
      const json = JSON.stringify(JSON.stringify(types));
      return { contents: `${text.slice(0, begin)}JSON.parse(${json})${text.slice(end)}` };
    });
  },
};

function withoutOptions(methods) {
  const plain = Object.entries(methods).map(([name, method]) => [
    name,
    { ...method, options: undefined, parsedOptions: undefined },
  ]);
  return Object.fromEntries(plain);
}

/** The SDK's reader of source maps finds its WebAssembly by its place; here it becomes a part of the bundle. */
const wasmOfSourceMap = {
  name: 'wasm-of-source-map',
  setup({ onLoad }) {
    onLoad({ filter: /node_modules.source-map.lib.read-wasm[.]js$/ }, () => ({
      contents: "const bytes = require('./mappings.wasm'); module.exports = async () => bytes.buffer;",
    }));
  },
};

/**
 * What the SDK bundles workflows with. They are bundled below, so nothing of `dist/` ever calls it, and it is large.
 */
const withoutBundler = {
  name: 'without-bundler',
  setup({ onLoad, onResolve }) {
    onResolve({ filter: /^(webpack|memfs|unionfs)$/ }, ({ path }) => ({ path, namespace: 'left-out' }));
    onLoad({ filter: /./, namespace: 'left-out' }, () => ({ contents: '' }));
  },
};

/**
 * What axios sends with where it is given nothing else. Paid requests bring their own adapter (`api/http.ts`); loading
 * these would also load Node's `fetch`, which compiles WebAssembly, and every media type that there is.
 */
const withoutAdapters = {
  name: 'without-adapters',
  setup({ onLoad, onResolve }) {
    onLoad({ filter: /node_modules.axios.lib.adapters.(http|xhr|fetch)[.]js$/ }, () => ({
      contents: 'export default undefined; export const getFetch = undefined;',
    }));
    // To ask whether there is a `FormData` loads it, and `fetch` with it.
    onLoad({ filter: /node_modules.axios.lib.utils[.]js$/ }, async ({ path }) => ({
      contents: (await readFile(path, 'utf8')).replace('typeof G.FormData', 'typeof undefined'),
    }));
    onResolve({ filter: /^form-data$/ }, ({ path, importer }) =>
      /node_modules.axios.lib/.test(importer) ? { path, namespace: 'left-out' } : undefined,
    );
  },
};

async function bundleOurs() {
  const { metafile } = await build({
    metafile: true,
    absWorkingDir: ROOT,
    entryPoints: [
      ...[...EXECUTABLES, ...threadEntries()].map((name) => ({ in: `${name}.ts`, out: name })),
      { in: WORKFLOW_THREAD, out: WORKFLOW_THREAD_HERE },
    ],
    outdir: DIST,
    chunkNames: 'chunks/[name]-[hash]',
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
    // Native, or started as a program of its own.
    external: ['libsql', '@temporalio/testing'],
    // Bundled CommonJS modules ask for Node's own modules by `require`, which an ES module does not have.
    banner: {
      js: "import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url);",
    },
    sourcemap: true,
    sourcesContent: false,
    loader: { '.wasm': 'binary' },
    plugins: [placesOfOurs, placesOfTemporal, typesInUse, wasmOfSourceMap, withoutBundler, withoutAdapters],
    logLevel: 'warning',
  });
  requireNames(metafile.inputs);
  await mkdir(join(DIST, 'worker', 'encryption'), { recursive: true });
  await copyFile(join(ROOT, LOADED_BY_SDK), join(DIST, LOADED_BY_SDK));
  await writeLicenses([...Object.keys(metafile.inputs), ...(await bundleForBrowsers())]);
}

/** The browser's side of the page and of the report: a script and its style for each. Returns what is in them. */
async function bundleForBrowsers() {
  const page = await bundleForBrowser('esm', [
    { in: 'page/browser/main.tsx', out: 'browser' },
    { in: 'page/browser/page.css', out: 'browser' },
  ]);
  // It stands in a file of HTML, so nothing of it may be seen from elsewhere.
  const report = await bundleForBrowser('iife', [
    { in: 'page/browser/report/main.tsx', out: 'report' },
    { in: 'page/browser/report/report.css', out: 'report' },
  ]);
  return [...page, ...report];
}

async function bundleForBrowser(format, entryPoints) {
  const { metafile } = await build({
    metafile: true,
    absWorkingDir: ROOT,
    entryPoints,
    outdir: join(DIST, 'page'),
    bundle: true,
    minify: true,
    format,
    target: ['es2023', 'chrome115', 'firefox115', 'safari16'],
    jsx: 'automatic',
    jsxImportSource: 'preact',
    legalComments: 'none',
    logLevel: 'warning',
  });
  return Object.keys(metafile.inputs);
}

/**
 * A CommonJS module that is imported lazily becomes a file of its own, which exports `default` alone, while Node and
 * the types know its names: only the built program would fail, and only where it needs it. A module of ours that
 * exports the names has to be imported.
 */
function requireNames(inputs) {
  const nameless = Object.entries(inputs).flatMap(([file, { imports }]) =>
    imports
      .filter(({ kind, path }) => kind === 'dynamic-import' && inputs[path]?.format === 'cjs')
      .map(({ path }) => `${file} imports ${path}`),
  );
  if (nameless.length === 0) return;
  throw new Error(
    `CommonJS that is imported lazily has no names when built: export them from a module of ours.\n${nameless.join('\n')}`,
  );
}

/** The licenses of the packages that are part of a bundle go with it. */
async function writeLicenses(inputs) {
  const folders = new Set(inputs.flatMap((path) => /^.*node_modules.(?:@[^/]+.)?[^/]+/.exec(path)?.[0] ?? []));
  const texts = [...folders].sort().map(async (folder) => {
    const { name, version, license } = JSON.parse(await readFile(join(ROOT, folder, 'package.json'), 'utf8'));
    const file = readdirSync(join(ROOT, folder)).find((one) => /^(licen[cs]e|copying)/i.test(one));
    const text = file === undefined ? '' : `\n${await readFile(join(ROOT, folder, file), 'utf8')}`;
    return `${name} ${version} (${license})\n${text}`;
  });
  await writeFile(join(DIST, 'THIRD-PARTY-LICENSES.txt'), (await Promise.all(texts)).join(`\n${'-'.repeat(80)}\n\n`));
}

/** The workflows, as one script for the sandbox. A worker that finds it starts a second or two sooner. */
async function bundleWorkflows() {
  const { bundleWorkflows: bundle } = await importOurs('worker/bundle-workflows.ts');
  const code = await bundle(join(ROOT, 'workflows', 'index.ts'));
  await mkdir(join(DIST, 'worker'), { recursive: true });
  await writeFile(join(DIST, 'worker', 'workflow-bundle.cjs'), code);
}

/** A module of ours, for the build itself. */
async function importOurs(file) {
  const outfile = join(ROOT, 'node_modules', '.cache', 'build', file.replace(/[.]ts$/, '.mjs'));
  await build({
    absWorkingDir: ROOT,
    entryPoints: [file],
    outfile,
    bundle: true,
    packages: 'external',
    format: 'esm',
    platform: 'node',
  });
  return import(pathToFileURL(outfile).href);
}

// `npm run build:types` replaces the declarations; without it they stay, for they come with `npm ci` and say what the
// package exports.
for (const entry of await readdir(DIST).catch(() => []))
  if (entry !== 'types') await rm(join(DIST, entry), { recursive: true, force: true });
await Promise.all([bundleOurs(), bundleWorkflows()]);
