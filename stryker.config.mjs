import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** How Stryker runs; what it changes, and which tests it runs, is in test/run-mutations.mjs. */
export default {
  plugins: ['@stryker-mutator/jest-runner'],
  testRunner: 'jest',
  // Jest needs it for ES modules.
  testRunnerNodeArgs: ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning'],
  // Each mutant is put to those tests only that come by its line.
  coverageAnalysis: 'perTest',
  concurrency: 2,
  // On a busy machine a test may take long without going round in circles.
  timeoutMS: 20_000,
  // Jest keeps the ES modules of each run: after a few, a process is slower than a new one.
  maxTestRunnerReuse: 1,
  incremental: true,
  reporters: ['progress-append-only', 'clear-text'],
  clearTextReporter: { logTests: false, reportTests: false, reportScoreTable: false, skipFull: true },
  // A copy of the project is made there, of what tests may read.
  tempDirName: join(tmpdir(), 'voxbatch-stryker'),
  ignorePatterns: ['/dist', '/out', '/.voxbatch', '/docs', '/reports'],
};
