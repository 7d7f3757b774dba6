import { expect, it } from '@jest/globals';
import { execFile, spawn, type ChildProcessByStdio } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { FfmpegFailed, runFfmpeg } from '../../../store/sound/ffmpeg.ts';
import { FFMPEG } from '../../support/ffmpeg.ts';
import { folderForEach } from '../../support/fresh-folder.ts';
import { compiledOf } from '../../compiled.mjs';
import { waitFor } from '../../support/wait-for.ts';

const folder = folderForEach();
let made = 0;

/** An ffmpeg that says which process it is, in `<its path>.pid`. */
async function toldFfmpeg(): Promise<string> {
  return script(`echo $$ >"$0.new"\nmv "$0.new" "$0.pid"\nexec '${FFMPEG}' "$@"`);
}

async function script(body: string): Promise<string> {
  const path = folder(`an ffmpeg's ${(made += 1)}`);
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

/** A process that runs code, with `run()` for a run of ffmpeg; `before`: what it does before it loads that. */
async function otherProcess(
  run: string,
  code: string,
  shell = 'exec "$@"',
  before = '',
): Promise<ChildProcessByStdio<null, Readable, null>> {
  const module = pathToFileURL(compiledOf('store/sound/ffmpeg.ts')).href;
  const words = `${before} const { runFfmpeg } = await import('${module}'); const run = () => runFfmpeg(${run}); ${code}`;
  return spawn('/bin/sh', ['-c', shell, 'sh', process.execPath, '--input-type=module', '-e', words], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}

/** Processes that this one started and whose last word is this. */
async function childrenNamed(word: string): Promise<readonly number[]> {
  const { stdout } = await promisify(execFile)('ps', ['-A', '-o', 'pid=,ppid=,args=']);
  const lines = stdout.split('\n').map((line) => line.trim().split(/\s+/u));
  return lines
    .filter(([, parent, ...args]) => Number(parent) === process.pid && args.at(-1) === word)
    .map(([pid]) => Number(pid));
}

it.each([
  ['without input', ''],
  [
    'that is given its input',
    ', onInput: () => new Promise(() => undefined), onOutput: async (output) => void output.resume()',
  ],
])('ends when the process that runs it is killed: %s', async (_, more) => {
  const program = await toldFfmpeg();
  const run = `{ program: ${JSON.stringify(program)}, args: ${JSON.stringify(ENDLESS)}${more} }`;
  const parent = await otherProcess(run, 'await run();');
  await waitFor(() => existsSync(`${program}.pid`));
  const pid = Number(await readFile(`${program}.pid`, 'utf8'));
  expect(isAlive(pid)).toBe(true);
  parent.kill('SIGKILL');
  await once(parent, 'exit');
  await waitFor(() => !isAlive(pid));
});

it('does not begin where that process is killed before anybody watches it', async () => {
  const program = await toldFfmpeg();
  const mark = `title=${randomUUID()}`;
  const run = `{ program: ${JSON.stringify(program)}, args: ${JSON.stringify(['-metadata', mark, ...ENDLESS])} }`;
  // The second process that it starts is the one that watches the first.
  const parent = await otherProcess(
    run,
    'await run();',
    'exec "$@"',
    `const { default: processes } = await import('node:child_process');
    const { spawn } = processes;
    let started = 0;
    processes.spawn = (...words) => {
      started += 1;
      if (started === 2) process.kill(process.pid, 'SIGKILL');
      return spawn(...words);
    };
    (await import('node:module')).syncBuiltinESMExports();`,
  );
  expect(await once(parent, 'exit')).toEqual([null, 'SIGKILL']);
  await waitFor(async () => !(await promisify(execFile)('ps', ['-A', '-o', 'args='])).stdout.includes(mark));
  expect(existsSync(`${program}.pid`)).toBe(false);
});

it('leaves no process behind, also where process 1 reaps none', async () => {
  const program = await script('echo $$ >"$0.new"\nmv "$0.new" "$0.pid"\nread -r _');
  let watching: readonly number[] = [];
  let pid = 0;
  await runFfmpeg({
    program,
    args: [],
    onInput: async (input) => {
      await waitFor(() => existsSync(`${program}.pid`));
      pid = Number(await readFile(`${program}.pid`, 'utf8'));
      watching = await childrenNamed(String(pid));
      input.end('\n');
    },
  });
  expect(watching).toHaveLength(1);
  // One that has ended and is not reaped would still be there.
  await waitFor(() => ![pid, ...watching].some(isAlive));
});

it('does not keep its process from ending, and has ended by then', async () => {
  const program = await toldFfmpeg();
  const other = await otherProcess(`{ program: ${JSON.stringify(program)}, args: ['-version'] }`, 'await run();');
  expect(await once(other, 'close')).toEqual([0, null]);
  expect(isAlive(Number(await readFile(`${program}.pid`, 'utf8')))).toBe(false);
});

it('fails where this process has no file descriptors left, and does not end it', async () => {
  const other = await otherProcess(
    `{ program: '/bin/true', args: [], onInput: async (input) => void input.end(), onOutput: async (output) => void output.resume() }`,
    `const { closeSync, openSync } = await import('node:fs');
    const opened = [];
    try { for (;;) opened.push(openSync('/dev/null')); } catch {}
    const failed = await run().catch((error) => error);
    for (const each of opened) closeSync(each);
    console.log(failed.name, failed.message);`,
    'ulimit -n 64; exec "$@"',
  );
  const [said] = await Promise.all([text(other.stdout), once(other, 'close')]);
  expect(said).toMatch(/^FfmpegFailed ffmpeg cannot be started \(.*EMFILE/u);
});

it('ends when its time is up', async () => {
  const program = await script('exec sleep 1000');
  await expect(runFfmpeg({ program, args: [], maxSeconds: 0.01 })).rejects.toThrow('SIGKILL');
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
  const run = runFfmpeg({ program: folder('none'), args: [] });
  await expect(run).rejects.toThrow(/^ffmpeg cannot be started \(.*ENOENT/u);
  const below = runFfmpeg({ program: join(await script(''), 'none'), args: [] });
  await expect(below).rejects.toThrow(/^ffmpeg cannot be started \(.*ENOTDIR/u);
});

it('has nothing of the environment', async () => {
  const words = await runFfmpeg({ program: await script('env >&2'), args: [] });
  expect(words.split('\n').filter((line) => !/^(_|PATH|PWD|SHLVL|OLDPWD)=/u.test(line) && line !== '')).toEqual([]);
});
