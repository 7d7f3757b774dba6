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

export default {
  projects: [
    {
      ...shared,
      displayName: 'unit',
      testMatch: ['<rootDir>/test/**/*.test.ts'],
      testPathIgnorePatterns: ['<rootDir>/test/live/'],
    },
    {
      ...shared,
      displayName: 'live',
      testEnvironment: '<rootDir>/test/live-environment.mjs',
      testMatch: ['<rootDir>/test/live/**/*.test.ts'],
      globalSetup: '<rootDir>/test/live-setup.mjs',
    },
  ],
  // For a test that hangs: a busy machine may give a worker of Jest an eighth of a core.
  testTimeout: 180_000,
  testSequencer: '<rootDir>/test/slow-first.mjs',
  // A worker that leaks never ends by itself; a busy machine needs more than the default half second.
  workerGracefulExitTimeout: 60_000,
};
