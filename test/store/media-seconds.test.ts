import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { mediaSeconds } from '../../store/inspect.ts';
import * as media from './media.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'voxbatch-seconds-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function secondsOf(body: Buffer, extension: string): Promise<number | undefined> {
  const path = join(folder, 'file');
  await writeFile(path, body);
  return mediaSeconds(path, extension);
}

it.each([
  ['mp3', () => media.mp3(100), 2.4],
  ['wav', () => media.wav(1.5), 1.5],
  ['mp4', () => media.mp4(2), 2],
])('reads the length of a %s', async (extension, make, seconds) => {
  expect(await secondsOf(await make(), extension)).toBeCloseTo(seconds, 1);
});

it('knows no length of what is no media, cut off, or not there', async () => {
  expect(await secondsOf(Buffer.from('not media'), 'mp3')).toBeUndefined();
  expect(await secondsOf(media.mp3(100).subarray(0, 1_000), 'mp3')).toBeUndefined();
  expect(await secondsOf(Buffer.from('text'), 'txt')).toBeUndefined();
  expect(await mediaSeconds(join(folder, 'absent'), 'mp3')).toBeUndefined();
});
