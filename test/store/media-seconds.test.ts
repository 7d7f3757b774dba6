import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { mediaSeconds } from '../../store/media-seconds.ts';
import * as media from './media.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'voxbatch-seconds-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function secondsOf(body: Buffer): Promise<number | undefined> {
  const path = join(folder, 'file');
  await writeFile(path, body);
  return mediaSeconds(path);
}

it.each([
  ['mp3', () => media.mp3(100), 2.4],
  ['mp3 whose header tells its length', () => media.mp3WithXing(100), 2.4],
  ['wav', () => media.wav(1.5), 1.5],
  ['mp4', () => media.mp4(2), 2],
  ['mp4 with its index last', () => media.mp4WithIndexLast({ seconds: 2 }), 2],
  ['mkv', () => media.mkv(), 3],
])('reads the length of %s', async (_, make, seconds) => {
  expect(await secondsOf(await make())).toBeCloseTo(seconds, 0.5);
});

it('knows no length of what is no media, or not there', async () => {
  expect(await secondsOf(Buffer.from('not media'))).toBeUndefined();
  expect(await mediaSeconds(join(folder, 'absent'))).toBeUndefined();
});
