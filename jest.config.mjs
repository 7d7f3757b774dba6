/** @type {import('jest').Config} */
const shared = {
  testEnvironment: '<rootDir>/test/environment.mjs',
  setupFiles: ['<rootDir>/test/support/property-runs.ts'],
  extensionsToTreatAsEsm: ['.ts'],
  transform: {
    '^.+\\.ts$': [
      '@swc/jest',
      { jsc: { target: 'es2022', parser: { syntax: 'typescript' } }, module: { type: 'es6' } },
    ],
  },
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
      setupFilesAfterEnv: ['<rootDir>/test/support/live-timeout.ts'],
      testMatch: ['<rootDir>/test/live/**/*.test.ts'],
      globalSetup: '<rootDir>/test/support/live-setup.ts',
    },
  ],
  // For a test that hangs: a busy machine may give a worker of Jest an eighth of a core.
  testTimeout: 180_000,
  testSequencer: '<rootDir>/test/slow-first.mjs',
  // A worker that leaks never ends by itself; a busy machine needs more than the default half second.
  workerGracefulExitTimeout: 60_000,
};
