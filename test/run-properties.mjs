/**
 * Runs all property tests much longer than `npm test` does: `npm run test:properties`. Arguments are passed on to Jest.
 *
 * - `FC_RUNS=20000`: runs of each property; default 2000.
 * - `FC_SEED=7`: the seed; default a new one, which is printed first. The same seed tells the same stories.
 */
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const runs = process.env['FC_RUNS'] ?? '2000';
const seed = process.env['FC_SEED'] ?? String(Math.floor(Math.random() * 2 ** 31));
const files = readdirSync('test', { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.test.ts'))
  .map((file) => join('test', file))
  .filter((file) => readFileSync(file, 'utf8').includes("from 'fast-check'"));
const again = `FC_RUNS=${runs} FC_SEED=${seed} npm run test:properties`;
console.log(`${files.length} files with properties, ${runs} runs of each. The same again: ${again}`);

const flags = ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning', 'node_modules/jest/bin/jest.js'];
const { status } = spawnSync(
  process.execPath,
  [
    ...flags,
    '--selectProjects',
    'unit',
    '--testTimeout=3600000',
    ...process.argv.slice(2),
    '--runTestsByPath',
    ...files,
  ],
  { env: { ...process.env, FC_RUNS: runs, FC_SEED: seed }, stdio: 'inherit' },
);
if (status !== 0) console.error(`FAILED. The same again: ${again}`);
process.exitCode = status ?? 1;
