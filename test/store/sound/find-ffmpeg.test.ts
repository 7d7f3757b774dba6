import { beforeEach, expect, it } from '@jest/globals';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { delimiter } from 'node:path';
import { findFfmpeg } from '../../../store/sound/find-ffmpeg.ts';
import { folderForEach } from '../../support/fresh-folder.ts';

const folder = folderForEach();
const program = (): string => folder('bin', 'ffmpeg');
beforeEach(async () => {
  await mkdir(folder('bin', 'folder', 'ffmpeg'), { recursive: true });
  await mkdir(folder('text'));
  await writeFile(program(), '#!/bin/sh\n');
  await chmod(program(), 0o755);
  await writeFile(folder('text', 'ffmpeg'), 'not a program');
});

it('finds the first program of that name on PATH, not a folder, a text or one beside the command', async () => {
  const path = ['.', 'bin', folder('none'), folder('text'), folder('bin', 'folder'), folder('bin')];
  expect(await findFfmpeg({ PATH: path.join(delimiter) })).toBe(program());
});

it('takes the one that is named, and no other, and finds none where there is none', async () => {
  expect(await findFfmpeg({ PATH: '', VOXBATCH_FFMPEG: program() })).toBe(program());
  expect(await findFfmpeg({ PATH: folder('bin'), VOXBATCH_FFMPEG: folder('none') })).toBeUndefined();
  expect(await findFfmpeg({})).toBeUndefined();
});
