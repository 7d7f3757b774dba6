/** @slow */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { buildImage, type Image } from '../support/dockerfile.ts';
import { startSimulator } from '../../simulator/start-simulator.ts';
import { endAfterTest } from '../support/end-after-test.ts';
import { freshFolder } from '../support/fresh-folder.ts';

/** The image of `deploy/docker/Dockerfile`, made step by step in folders, and run as it says: as a user without rights, on a tree that it cannot write. */

const REPOSITORY = fileURLToPath(new URL('../..', import.meta.url));
const DOCKERFILE = join(REPOSITORY, 'deploy/docker/Dockerfile');
/** What `/app` may take, MB: two thirds of it are the two native modules. */
const MAX_MB = 60;
/** Debian's `nobody`: a user that owns nothing here. */
const NOBODY = 65_534;
const isRoot = process.getuid?.() === 0;

let image: Image;
let folder: string;

beforeAll(() => {
  folder = freshFolder();
  // The user without rights has to get there.
  for (const path of [dirname(folder), folder]) chmodSync(path, 0o711);
  const files = execFileSync('git', ['ls-files', '-co', '--exclude-standard'], { cwd: REPOSITORY, encoding: 'utf8' });
  const context = files.split('\n').filter((file) => file !== '' && file !== 'node_modules');
  image = buildImage(DOCKERFILE, folder, REPOSITORY, context);
  execFileSync('chmod', ['-R', 'a-w', image.root]);
});

interface RunEnd {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the image's program with these words, in a volume of its own. */
async function run(words: readonly string[], env: NodeJS.ProcessEnv = {}, work = state()): Promise<RunEnd> {
  const [program = ''] = image.entrypoint;
  const child = spawn(process.execPath, [join(image.root, program), ...words], {
    cwd: work,
    stdio: ['ignore', 'pipe', 'pipe'],
    ...(isRoot ? { uid: NOBODY, gid: NOBODY } : {}),
    env: { PATH: process.env['PATH'], ...image.env, VOXBATCH_HOME: work, XDG_STATE_HOME: join(work, 'user'), ...env },
  });
  const [stdout, stderr, [status]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close') as Promise<[number | null]>,
  ]);
  return { status, stdout, stderr };
}

/** A folder in place of the volume, for the user without rights. */
function state(): string {
  const made = join(folder, `state-${String(Math.random()).slice(2)}`);
  mkdirSync(made);
  if (isRoot) chownSync(made, NOBODY, NOBODY);
  return made;
}

describe('the image', () => {
  it('is small, and has neither sources, tests, nor what other platforms need', () => {
    const kilobytes = Number(execFileSync('du', ['-sk', join(image.root, 'app')], { encoding: 'utf8' }).split('\t')[0]);
    expect(kilobytes / 1024).toBeLessThan(MAX_MB);
    const files = execFileSync('find', [image.root, '-type', 'f'], { encoding: 'utf8' }).split('\n');
    expect(files.filter((file) => /\.(test\.js|map|rs)$|apple|windows|musl|jest|typescript/.test(file))).toEqual([]);
  });

  it('runs as a user without rights, whose writes go to a volume', async () => {
    expect(image.user).toMatch(/^[1-9]\d*:[1-9]\d*$/);
    expect(image.volumes).toEqual(['/state']);
    expect(image.env['VOXBATCH_HOME']).toBe('/state');
    expect(image.workdir).toBe('/state');
    const { version } = JSON.parse(readFileSync(join(REPOSITORY, 'package.json'), 'utf8')) as {
      readonly version: string;
    };
    expect(await run(['--version'])).toMatchObject({ status: 0, stdout: `${version}\n` });
    for (const words of [image.command, ['ledger', 'migrate']])
      expect(await run([...words.slice(0, 1), '--help'])).toMatchObject({ status: 0, stderr: '' });
  });

  it('has a command that takes the words it is given', async () => {
    // It ends at once, for there is no API; a word that it did not know would end with 2.
    expect(await run(image.command)).toMatchObject({
      status: 5,
      stderr: expect.stringContaining('No API is configured'),
    });
  });

  it('runs a batch on a tree that it cannot write, with both native modules', async () => {
    const simulator = await startSimulator();
    endAfterTest(() => simulator.close());
    const work = state();
    writeFileSync(join(work, 'lines.csv'), 'id,text,voice\na,Hello there.,v1\nb,Good morning.,v1\n');
    const temporal = join(folder, 'temporal');
    copyFileSync(process.env['VOXBATCH_TEMPORAL_CLI'] ?? '', temporal);
    const env = {
      VOXBATCH_API_URL: simulator.url,
      VOXBATCH_API_TOKEN: simulator.token,
      VOXBATCH_TEMPORAL_CLI: temporal,
    };
    expect(await run(['run', 'lines.csv', '--yes'], env, work)).toMatchObject({ status: 0 });
    expect(readFileSync(join(work, 'out/lines/results.csv'), 'utf8').match(/succeeded/g)).toHaveLength(2);
    expect(simulator.ledger()).toHaveLength(2);
  });
});
