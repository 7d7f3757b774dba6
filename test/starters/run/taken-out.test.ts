/** @slow */
import { execFileSync } from 'node:child_process';
import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, expect, it } from '@jest/globals';
import { expectRun, json, placeAtSimulator } from '../command-line.ts';

/** What `run` does where the folder of its files came with a stranger's: it is refused before anything is sent. */

placeAtSimulator(async ({ ledger }) => {
  expect(await ledger.findBatch('lines')).toBeUndefined();
});
beforeEach(async () => {
  await writeFile('lines.csv', 'id,text,voice\na,Hello,voice-1\n');
  await mkdir('out/lines', { recursive: true });
});

const expectRefusal = (err: string | RegExp): Promise<unknown> => expectRun('run lines.csv --yes', 2, { out: '', err });

it('refuses tables of a batch of this name that no ledger of ours knows', async () => {
  await writeFile('out/lines/results.jsonl', '{"_batch":"lines"}\n');
  await expectRefusal('holds the results of this batch from another ledger');
});

it.each(['media', 'media/v'])('refuses the symbolic link out/lines/%s, and leaves what is behind it', async (name) => {
  await mkdir('victim');
  await writeFile('victim/a.mp3', 'mine');
  await mkdir(join('out/lines', name, '..'), { recursive: true });
  await symlink(join(process.cwd(), 'victim'), join('out/lines', name));
  await expectRefusal(/symbolic link.*nothing was spent/i);
  expect(await readFile('victim/a.mp3', 'utf8')).toBe('mine');
  expect(await readdir('victim')).toEqual(['a.mp3']);
});

it('waits for nobody where the summary is a pipe', async () => {
  execFileSync('mkfifo', ['out/lines/summary.json']);
  await expectRefusal('has a file summary.json that is not of it');
});

it('waits for nobody where the config of the folder is a pipe, and takes a pipe that the user names', async () => {
  execFileSync('mkfifo', ['voxbatch.config.json']);
  await expectRefusal('voxbatch.config.json cannot be read: it is no regular file.');
  process.env['VOXBATCH_CONFIG'] = 'voxbatch.config.json';
  const [plan] = await Promise.all([json('plan lines.csv'), writeFile('voxbatch.config.json', '{"budget":7}')]);
  expect(plan.value).toMatchObject({ budget: 7 });
});
