import { execFileSync, spawn } from 'node:child_process';
import { closeSync, existsSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from './free-port.mjs';
import { findGoProgram } from './go-program.mjs';
import { isListening } from './is-listening.mjs';

/** The S3 server that tests run on. */
const MODULE = 'github.com/versity/versitygw/cmd/versitygw@v1.8.0';
const KEYS = { AWS_ACCESS_KEY_ID: 'voxbatch', AWS_SECRET_ACCESS_KEY: 'not-a-secret' };

/** What is shown of its output, characters. */
const SHOWN = 2_000;
/** What a command of its administrator may take, ms. */
const ADMIN_MS = 60_000;

/**
 * Starts an S3 server of our own on a free port, with the bucket `media` in a temporary folder. Its program is found in
 * `VERSITYGW_BIN`, on the PATH, or among Go's programs; otherwise Go builds it, which takes some minutes once.
 *
 * Returns the settings to use it with, and its life: `kill` ends it at once and leaves its files, `start` starts it again
 * on the same port, `stop` ends it and removes them. `addUser` returns the settings of a new user, who has no rights.
 * `requireRunning` throws if it has ended by itself, with what it said last.
 */
export async function startS3() {
  const server = await makeServer(findProgram());
  try {
    await server.start();
    server.administer('create-bucket', '--owner', KEYS.AWS_ACCESS_KEY_ID, '--bucket', 'media');
    return server;
  } catch (error) {
    await server.stop();
    throw error;
  }
}

/** A server that is not started yet, in a folder of its own. */
async function makeServer(program) {
  const folder = mkdtempSync(join(tmpdir(), 'vb-s3-'));
  const [root, sidecar, users, log] = ['buckets', 'sidecar', 'users', 'log'].map((name) => join(folder, name));
  for (const one of [root, sidecar, users]) mkdirSync(one);
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const env = { ...KEYS, AWS_REGION: 'us-east-1', AWS_ENDPOINT_URL_S3: url };
  let server;
  const hasEnded = () => server === undefined || server.exitCode !== null || server.signalCode !== null;
  const requireRunning = () => {
    if (!hasEnded()) return;
    const said = existsSync(log) ? readFileSync(log, 'utf8').slice(-SHOWN) : '';
    throw new Error(`The S3 server has ended (${server?.exitCode ?? server?.signalCode}) and said: ${said}`);
  };
  const start = async () => {
    const options = ['--keep-alive', '--quiet', '--port', `127.0.0.1:${port}`, '--iam-dir', users];
    // Not every temporary folder takes the attributes in which it otherwise keeps what it knows of its files.
    const args = [...options, 'posix', '--sidecar', sidecar, root];
    const { AWS_ACCESS_KEY_ID: ROOT_ACCESS_KEY, AWS_SECRET_ACCESS_KEY: ROOT_SECRET_KEY } = KEYS;
    const output = openSync(log, 'a');
    server = spawn(program, args, {
      // It would take further settings from the environment.
      env: { PATH: process.env['PATH'], TMPDIR: folder, HOME: folder, ROOT_ACCESS_KEY, ROOT_SECRET_KEY },
      stdio: ['ignore', output, output],
    });
    closeSync(output);
    while (!(await isListening(port))) {
      requireRunning();
      await sleep(50);
    }
  };
  const kill = async () => {
    if (hasEnded()) return;
    const ended = new Promise((resolve) => server.once('exit', resolve));
    server.kill('SIGKILL');
    await ended;
  };
  const administer = (...words) => {
    const keys = ['--access', KEYS.AWS_ACCESS_KEY_ID, '--secret', KEYS.AWS_SECRET_ACCESS_KEY];
    const limits = { timeout: ADMIN_MS, stdio: 'ignore' };
    execFileSync(program, ['admin', ...keys, '--endpoint-url', url, ...words], limits);
  };
  const addUser = (name) => {
    administer('create-user', '--access', name, '--secret', KEYS.AWS_SECRET_ACCESS_KEY, '--role', 'user');
    return { ...env, AWS_ACCESS_KEY_ID: name };
  };
  return {
    env,
    /** The files of the bucket, as the server keeps them. */
    bucket: join(root, 'media'),
    addUser,
    administer,
    requireRunning,
    start,
    kill,
    stop: async () => {
      await kill();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** The server's program, built if there is none. Throws if that fails, and says what to do. */
export function findProgram() {
  return findGoProgram({
    variable: 'VERSITYGW_BIN',
    named: process.env['TEST_S3'] ?? process.env['VERSITYGW_BIN'],
    name: 'versitygw',
    module: MODULE,
    what: 'an S3 server',
    advice: `Install Go (https://go.dev/dl) and run: go install ${MODULE} – or set VERSITYGW_BIN to the program.`,
  });
}
