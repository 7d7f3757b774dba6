import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from './free-port.mjs';
import { isListening } from './is-listening.mjs';

/** The S3 server that tests run on. */
const MODULE = 'github.com/versity/versitygw/cmd/versitygw@v1.8.0';
const KEYS = { AWS_ACCESS_KEY_ID: 'voxbatch', AWS_SECRET_ACCESS_KEY: 'not-a-secret' };

/**
 * Starts an S3 server of our own on a free port, with the bucket `media` in a temporary folder. Its program is found in
 * `VERSITYGW_BIN`, on the PATH, or among Go's programs; otherwise Go builds it, which takes some minutes once.
 *
 * Returns the settings to use it with, and its life: `kill` ends it at once and leaves its files, `start` starts it again
 * on the same port, `stop` ends it and removes them. `addUser` returns the settings of a new user, who has no rights.
 */
export async function startS3() {
  const program = findProgram();
  const folder = mkdtempSync(join(tmpdir(), 'vb-s3-'));
  const root = join(folder, 'buckets');
  mkdirSync(root);
  const port = await freePort();
  let server;
  // Not every temporary folder takes the attributes in which it otherwise keeps what it knows of its files.
  const sidecar = join(folder, 'sidecar');
  mkdirSync(sidecar);
  const users = join(folder, 'users');
  mkdirSync(users);
  const start = async () => {
    const options = ['--keep-alive', '--quiet', '--port', `127.0.0.1:${port}`, '--iam-dir', users];
    const args = [...options, 'posix', '--sidecar', sidecar, root];
    const env = {
      ...process.env,
      ROOT_ACCESS_KEY: KEYS.AWS_ACCESS_KEY_ID,
      ROOT_SECRET_KEY: KEYS.AWS_SECRET_ACCESS_KEY,
    };
    server = spawn(program, args, { env, stdio: 'ignore' });
    await untilListening(port, server);
  };
  const kill = async () => {
    if (server === undefined || server.exitCode !== null || server.signalCode !== null) return;
    const ended = new Promise((resolve) => server.once('exit', resolve));
    server.kill('SIGKILL');
    await ended;
  };
  const url = `http://127.0.0.1:${port}`;
  const administer = (...words) => {
    const keys = ['--access', KEYS.AWS_ACCESS_KEY_ID, '--secret', KEYS.AWS_SECRET_ACCESS_KEY];
    execFileSync(program, ['admin', ...keys, '--endpoint-url', url, ...words], { stdio: 'ignore' });
  };
  const addUser = (name) => {
    administer('create-user', '--access', name, '--secret', KEYS.AWS_SECRET_ACCESS_KEY, '--role', 'user');
    return { ...env, AWS_ACCESS_KEY_ID: name };
  };
  const env = { ...KEYS, AWS_REGION: 'us-east-1', AWS_ENDPOINT_URL_S3: url };
  await start();
  administer('create-bucket', '--owner', KEYS.AWS_ACCESS_KEY_ID, '--bucket', 'media');
  return {
    env,
    /** The files of the bucket, as the server keeps them. */
    bucket: join(root, 'media'),
    addUser,
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
  const named = process.env['TEST_S3'] ?? process.env['VERSITYGW_BIN'];
  if (named !== undefined && named !== '') {
    if (existsSync(named)) return named;
    throw new Error(`VERSITYGW_BIN names ${named}, and no program is there.`);
  }
  const go = spawnSync('go', ['env', 'GOBIN', 'GOPATH'], { encoding: 'utf8' });
  const [bin = '', path = ''] = go.status === 0 ? go.stdout.trimEnd().split('\n') : [];
  const ofGo = bin === '' ? join(path === '' ? join(homedir(), 'go') : path, 'bin') : bin;
  const places = [...(process.env['PATH'] ?? '').split(delimiter), ofGo].filter((place) => place !== '');
  const find = () => places.map((place) => join(place, 'versitygw')).find((one) => existsSync(one));
  const found = find();
  if (found !== undefined) return found;
  if (go.status === 0) {
    console.error(`Building an S3 server for tests: go install ${MODULE}`);
    try {
      execFileSync('go', ['install', MODULE], { stdio: ['ignore', 2, 2] });
    } catch {
      // Said below.
    }
  }
  const built = find();
  if (built !== undefined) return built;
  throw new Error(
    `There is no S3 server here, and ${go.status === 0 ? 'Go could not build one' : 'no Go to build one'}. Install Go (https://go.dev/dl) and run: go install ${MODULE} – or set VERSITYGW_BIN to the program.`,
  );
}

async function untilListening(port, server) {
  for (;;) {
    if (server.exitCode !== null) throw new Error(`The S3 server ended with ${server.exitCode}.`);
    if (await isListening(port)) return;
    await sleep(50);
  }
}
