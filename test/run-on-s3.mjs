/**
 * Runs the store's tests on a real S3 server, and a batch on one that is stopped and started again: `npm run test:s3`.
 * Arguments choose some (`-- test/on-s3`). The program is found or built first (`s3-server.mjs`).
 */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { findProgram } from './s3-server.mjs';

const chosen = process.argv.slice(2);
const all = ['test/on-s3/', 'test/store/every-driver', 'test/live/on-s3/'];
const args = [join(import.meta.dirname, 'run-tests.mjs'), ...(chosen.length > 0 ? chosen : all)];
const { status } = spawnSync(process.execPath, args, {
  env: { ...process.env, TEST_S3: findProgram() },
  stdio: 'inherit',
});
process.exitCode = status ?? 1;
