import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { findFfmpeg } from '../../../store/sound/find-ffmpeg.ts';

let folder: string;
let program: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'voxbatch-find-ffmpeg-'));
  program = join(folder, 'bin', 'ffmpeg');
  await mkdir(join(folder, 'bin', 'folder', 'ffmpeg'), { recursive: true });
  await mkdir(join(folder, 'text'));
  await writeFile(program, '#!/bin/sh\n');
  await chmod(program, 0o755);
  await writeFile(join(folder, 'text', 'ffmpeg'), 'not a program');
});
afterAll(() => rm(folder, { recursive: true }));

it('finds the first program of that name on PATH, not a folder, a text or one beside the command', async () => {
  const path = [
    '.',
    'bin',
    join(folder, 'none'),
    join(folder, 'text'),
    join(folder, 'bin', 'folder'),
    join(folder, 'bin'),
  ];
  expect(await findFfmpeg({ PATH: path.join(delimiter) })).toBe(program);
});

it('takes the one that is named, and no other', async () => {
  const PATH = join(folder, 'bin');
  expect(await findFfmpeg({ PATH: '', VOXBATCH_FFMPEG: program })).toBe(program);
  expect(await findFfmpeg({ PATH, VOXBATCH_FFMPEG: join(folder, 'none') })).toBeUndefined();
});

it('finds none where there is none', async () => {
  expect(await findFfmpeg({})).toBeUndefined();
});
