/**
 * Runs the tests on other versions of Node: `npm run test:node -- 22`. Without a version: on the oldest that `package.json` allows, then on 22
 * and 24. What follows the version goes to `run-tests.mjs` (`-- 24 --quick`, `-- 22 test/ledger`).
 *
 * npm fetches each version as the package `node` and keeps it in its cache; neither the project nor the machine's own Node changes.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';

const { engines } = JSON.parse(readFileSync(join(import.meta.dirname, '..', 'package.json'), 'utf8'));
const OLDEST = engines.node.replace('>=', '');
const VERSIONS = [OLDEST, '22', '24'];

const [first = '', ...others] = process.argv.slice(2);
const isVersion = /^\d[\d.]*$/.test(first);

for (const version of isVersion ? [first] : VERSIONS) {
  const node = pathOf(version);
  console.log(`== ${execFileSync(node, ['--version'], { encoding: 'utf8' }).trim()} ==`);
  // Tests start programs by name, too, and these shall be of the same version.
  const env = { ...process.env, PATH: `${dirname(node)}${delimiter}${process.env['PATH']}` };
  const args = [join(import.meta.dirname, 'run-tests.mjs'), ...(isVersion ? others : process.argv.slice(2))];
  const { status } = spawnSync(node, args, { env, stdio: 'inherit' });
  if (status !== 0) process.exitCode = status ?? 1;
}

/** The executable of the newest Node of a version (`22`, `20.19`). */
function pathOf(version) {
  const npm = ['exec', '--yes', `--package=node@${version}`, '--', 'node', '-p', 'process.execPath'];
  return execFileSync('npm', npm, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] }).trim();
}
