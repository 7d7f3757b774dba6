/**
 * Runs the ledger's tests on a real PostgreSQL server, which it starts and stops: `npm run test:postgres`. Arguments choose others
 * (`-- test/ledger/money`). Left out are the tests of a ledger's file: its opening, its thread and processes, what is in `sqlite/`.
 */
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { placeForFiles } from './place-for-files.mjs';
import { startPostgres } from './postgres-server.mjs';

const OF_FILES = ['former', 'sqlite'];
const ledger = join(import.meta.dirname, 'ledger');
const folders = readdirSync(ledger, { withFileTypes: true }).filter(
  (one) => one.isDirectory() && !OF_FILES.includes(one.name),
);
const all = [
  ...folders.map(({ name }) => `test/ledger/${name}/`),
  'test/ledger/model',
  'test/ledger/story',
  'test/deploy/roles',
  'test/live/ledger-copy',
  'test/live/postgres/',
];
const chosen = process.argv.slice(2);
process.env.TEST_POSTGRES_FOLDER = placeForFiles();
// The properties are of both databases; what is PostgreSQL's own, its SQL and its locks, shows in fewer runs.
process.env.FC_RUNS ??= '30';
const { url, stop } = await startPostgres();
try {
  const args = [join(import.meta.dirname, 'run-tests.mjs'), ...(chosen.length > 0 ? chosen : all)];
  const { status } = spawnSync(process.execPath, args, {
    env: { ...process.env, TEST_POSTGRES: url },
    stdio: 'inherit',
  });
  process.exitCode = status ?? 1;
} finally {
  stop();
}
