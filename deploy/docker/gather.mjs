/**
 * Gathers what the image needs in a folder: `node deploy/docker/gather.mjs /app`, after `npm run build`.
 *
 * `dist/` has all JavaScript bundled, so of `node_modules` only the native modules are needed, each for this platform
 * alone: Temporal's core for all platforms is 137 MB, for one 27.
 */
import { cpSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, sep } from 'node:path';

const ROOT = join(import.meta.dirname, '../..');
const [out] = process.argv.slice(2);
if (out === undefined) throw new Error('usage: node deploy/docker/gather.mjs FOLDER');

/** Packages that are not bundled. */
const NATIVE = ['libsql', '@temporalio/core-bridge'];
const MODULES = join(ROOT, 'node_modules');

mkdirSync(out, { recursive: true });
for (const name of ['package.json', 'LICENSE', 'schemas', 'inputs/examples', 'deploy/postgres'])
  cpSync(join(ROOT, name), join(out, name), { recursive: true });
cpSync(join(ROOT, 'dist'), join(out, 'dist'), {
  recursive: true,
  filter: (path) => !path.endsWith('.map') && !path.includes(`${sep}dist${sep}types`),
});

const core = join(MODULES, '@temporalio/core-bridge');
const { getPrebuiltTargetName } = createRequire(import.meta.url)(join(core, 'common.js'));
const release = join(core, 'releases', getPrebuiltTargetName());

// Temporal's SDK asks where this is when it is loaded; what it says is in our bundle.
for (const file of ['package.json', 'lib/workflow-log-interceptor.js'])
  cpSync(join(MODULES, '@temporalio/worker', file), join(out, 'node_modules/@temporalio/worker', file));

const gathered = new Set();
for (const name of NATIVE) gather(name);

function gather(name) {
  const folder = join(MODULES, name);
  if (gathered.has(name) || !existsSync(folder)) return;
  gathered.add(name);
  const { dependencies = {}, optionalDependencies = {} } = JSON.parse(
    readFileSync(join(folder, 'package.json'), 'utf8'),
  );
  cpSync(folder, join(out, 'node_modules', name), {
    recursive: true,
    dereference: true,
    filter: (path) => isNeeded(path),
  });
  // Its own dependencies are bundled with the rest.
  if (folder === core) return;
  for (const other of Object.keys(dependencies)) gather(other);
  // Those of other platforms are installed for none, but for both C libraries of this one.
  for (const other of Object.keys(optionalDependencies)) if (!other.endsWith('musl')) gather(other);
}

/** Of Temporal's core: the native module of this platform, and what finds it. */
function isNeeded(path) {
  if (path === core || !path.startsWith(core + sep)) return true;
  const needed = [join(core, 'package.json'), join(core, 'common.js'), join(core, 'index.js'), release];
  return needed.some((one) => path === one || path.startsWith(one + sep) || one.startsWith(path + sep));
}
