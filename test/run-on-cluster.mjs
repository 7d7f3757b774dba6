/**
 * Runs live tests on a Temporal server with its databases in PostgreSQL, and their ledgers in the same PostgreSQL:
 * `npm run test:cluster`. Both servers are started and stopped here; the tests share them, each with a namespace and a ledger of its
 * own. Arguments choose some (`-- test/live/hand-over`). Temporal's programs and Prometheus are found or built first (`temporal-cluster.mjs`,
 * `prometheus.mjs`).
 *
 * These are the tests whose workers find their server by its address. All others are about the server that a command starts
 * by itself, or about what needs none.
 */
import { spawnSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startPostgres } from './postgres-server.mjs';
import { findPrometheus } from './prometheus.mjs';
import { findTemporalCluster, startTemporalCluster } from './temporal-cluster.mjs';

const FILES = [
  ...['adopt-storm', 'api-key', 'batch-news', 'encryption', 'hand-over', 'kill-server', 'kill-worker', 'look-after'],
  ...['mutual-tls', 'several-workers', 'upgrade', 'visibility', 'worker-versions'],
];
/** A version that is no more the current one counts as drained minutes later by default. */
const DRAINED_SOON = {
  'matching.wv.VersionDrainageStatusVisibilityGracePeriod': '2s',
  'matching.wv.VersionDrainageStatusRefreshInterval': '2s',
};
/** Of these files, those tests are left out that start a server of their own. */
const NOT_EMBEDDED = '^(?!.*embedded)';

// Jest ends on these by itself; this process outlives it to stop its servers.
process.on('SIGINT', () => undefined);

const chosen = process.argv.slice(2);
const all = [`test/live/(on-cluster/.*|${FILES.join('|')})[.]test[.]ts$`, '--testNamePattern', NOT_EMBEDDED];
findTemporalCluster();
findPrometheus();
const { url, stop } = await startPostgres();
try {
  const temporal = await startTemporalCluster(url, { dynamic: DRAINED_SOON });
  try {
    const args = [join(import.meta.dirname, 'run-tests.mjs'), ...(chosen.length > 0 ? chosen : all)];
    const { status } = spawnSync(process.execPath, args, {
      env: { ...process.env, TEST_POSTGRES: url, TEST_POSTGRES_FOLDER: tmpdir(), TEST_TEMPORAL: temporal.address },
      stdio: 'inherit',
    });
    process.exitCode = status ?? 1;
  } finally {
    await temporal.stop();
  }
} finally {
  stop();
}
