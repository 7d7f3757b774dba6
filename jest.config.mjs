/** Tests that need an S3 server; `npm run test:s3` runs them. */
const onS3 = process.env['TEST_S3'] === undefined ? ['/on-s3/'] : [];

/** Tests that need a browser: `npm run test:browser`. */
const inBrowser = process.env['TEST_BROWSER'] === undefined ? ['/in-browser/'] : [];

/** Tests that need Temporal's own server: `npm run test:cluster`. */
const onCluster = process.env['TEST_TEMPORAL'] === undefined ? ['/on-cluster/'] : [];

/** @type {import('jest').Config} */
const shared = {
  globalSetup: '<rootDir>/test/compile.mjs',
  runtime: '<rootDir>/test/runtime.mjs',
  testEnvironment: '<rootDir>/test/environment.mjs',
  injectGlobals: false,
  setupFiles: ['<rootDir>/test/support/property-runs.ts'],
  setupFilesAfterEnv: ['<rootDir>/test/support/after-each-test.ts'],
  extensionsToTreatAsEsm: ['.ts'],
  transform: {},
  cacheDirectory: '<rootDir>/node_modules/.cache/jest',
  modulePathIgnorePatterns: ['<rootDir>/dist/'],
};

/** Tests that need a server of PostgreSQL: `npm run test:postgres`. */
const onPostgres =
  process.env['TEST_POSTGRES'] === undefined
    ? ['/test/live/postgres/', '/test/deploy/roles-', '/test/ledger/lanes/server-clock', '/test/ledger/postgres/']
    : [];

export default {
  projects: [
    {
      ...shared,
      displayName: 'unit',
      testMatch: ['<rootDir>/test/**/*.test.ts'],
      testPathIgnorePatterns: ['<rootDir>/test/live/', ...onS3, ...onPostgres],
    },
    {
      ...shared,
      displayName: 'live',
      testEnvironment: '<rootDir>/test/live-environment.mjs',
      testMatch: ['<rootDir>/test/live/**/*.test.ts'],
      testPathIgnorePatterns: [...onS3, ...onPostgres, ...onCluster, ...inBrowser],
      globalSetup: '<rootDir>/test/live-setup.mjs',
    },
  ],
  // For a test that hangs: a busy machine may give a worker of Jest an eighth of a core.
  testTimeout: 180_000,
  testSequencer: '<rootDir>/test/slow-first.mjs',
  // A worker that leaks never ends by itself; a busy machine needs more than the default half second.
  workerGracefulExitTimeout: 60_000,
};
