import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { FfmpegFailed, runFfmpeg } from '../../../store/sound/ffmpeg.ts';
import { FFMPEG } from '../../support/ffmpeg.ts';
import { transpileRooms } from '../../support/run-typescript.ts';
import { waitFor } from '../../support/wait-for.ts';

let folder: string;
let made = 0;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'voxbatch ffmpeg-'));
});
afterAll(() => rm(folder, { recursive: true }));

/** An ffmpeg that says which process it is, in `<its path>.pid`. */
async function toldFfmpeg(): Promise<string> {
  return script(`echo $$ >"$0.new"\nmv "$0.new" "$0.pid"\nexec '${FFMPEG}' "$@"`);
}

async function script(body: string): Promise<string> {
  const path = join(folder, `an ffmpeg's ${(made += 1)}`);
  await writeFile(path, `#!/bin/sh\nPATH=/usr/bin:/bin\n${body}\n`, { mode: 0o755 });
  return path;
}

/** As fast as it would be played, so that it does not end by itself. */
const ENDLESS = ['-re', '-f', 'lavfi', '-i', 'anullsrc', '-f', 'null', '-'];

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

it.each([
  ['without input', ''],
  [
    'that is given its input',
    ', onInput: () => new Promise(() => undefined), onOutput: async (output) => void output.resume()',
  ],
])('ends when the process that runs it is killed: %s', async (_, more) => {
  const program = await toldFfmpeg();
  const module = pathToFileURL(join(await transpileRooms(), 'store/sound/ffmpeg.js')).href;
  const run = `{ program: ${JSON.stringify(program)}, args: ${JSON.stringify(ENDLESS)}${more} }`;
  const code = `const { runFfmpeg } = await import('${module}'); await runFfmpeg(${run});`;
  const parent = spawn(process.execPath, ['--input-type=module', '-e', code], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  await waitFor(() => existsSync(`${program}.pid`));
  const pid = Number(await readFile(`${program}.pid`, 'utf8'));
  expect(isAlive(pid)).toBe(true);
  parent.kill('SIGKILL');
  await once(parent, 'exit');
  await waitFor(() => !isAlive(pid));
});

it('ends when its time is up', async () => {
  const program = await script('exec sleep 1000');
  await expect(runFfmpeg({ program, args: [], mostSeconds: 0.01 })).rejects.toThrow('SIGKILL');
});

it('gets what it is given, and gives what it writes', async () => {
  const program = await script('exec cat');
  const pieces: Buffer[] = [];
  await runFfmpeg({
    program,
    args: [],
    onInput: async (input) => void input.end('some words'),
    onOutput: async (output) => {
      for await (const piece of output as AsyncIterable<Buffer>) pieces.push(piece);
    },
  });
  expect(Buffer.concat(pieces).toString()).toBe('some words');
});

it('tells how it failed, by its last line', async () => {
  const program = await script('echo one >&2; echo two >&2; exit 3');
  const failed = runFfmpeg({ program, args: [] });
  await expect(failed).rejects.toThrow(FfmpegFailed);
  await expect(failed).rejects.toThrow('ffmpeg ended with 3: two');
});

it('that cannot be started is told so', async () => {
  const run = runFfmpeg({ program: join(folder, 'none'), args: [] });
  await expect(run).rejects.toThrow(/^ffmpeg cannot be started \(.*not found/u);
});

it('has nothing of the environment', async () => {
  const words = await runFfmpeg({ program: await script('env >&2'), args: [] });
  expect(words.split('\n').filter((line) => !/^(_|PATH|PWD|SHLVL|OLDPWD)=/u.test(line) && line !== '')).toEqual([]);
});
