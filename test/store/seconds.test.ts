import { writeFile } from 'node:fs/promises';
import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import { FileWindow } from '../../store/containers/file-window.ts';
import { checkMedia, mediaSeconds } from '../../store/inspect.ts';
import { folderForEach } from '../support/fresh-folder.ts';
import * as media from './media.ts';

const folder = folderForEach();

/** How long a file plays by its own frames or index. */
async function secondsOf(body: Buffer, extension: string): Promise<number | undefined> {
  return (await checkMedia(FileWindow.ofBody(body), extension, 'audio')).seconds;
}

it.each([
  ['MP3', media.mp3(100), 'mp3', 2.4],
  ['WAV', media.wav(1.5), 'wav', 1.5],
  ['WAV in stereo', media.wavOf(Buffer.alloc(64_000, 1), { channels: 2 }), 'wav', 1],
  ['WAV without a length', media.wavOf(Buffer.alloc(16_000, 1), { size: 0xffffffff }), 'wav', 0.5],
  ['raw audio', Buffer.alloc(100, 1), 'pcm', undefined],
])('the length of %s', async (_, body, extension, seconds) => {
  expect(await secondsOf(body, extension)).toBe(seconds);
});

it('the length of a video is that of its longer track', async () => {
  expect(await secondsOf(await media.mp4(1.2), 'mp4')).toBeCloseTo(1.2, 1);
});

it('the length of silence is told with what is wrong', async () => {
  expect(await checkMedia(FileWindow.ofBody(media.wavOf(Buffer.alloc(8_000))), 'wav', 'audio')).toEqual({
    seconds: 0.25,
    unfit: 'silent',
  });
});

it('the length of an MP3 file is the sum of its frames, whatever their number', async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 200 }), async (frames) => {
      expect(await secondsOf(media.mp3(frames), 'mp3')).toBeCloseTo(frames * 0.024, 3);
    }),
  );
});

it('knows no length of a file that is no media, cut off, or not there', async () => {
  const bodies = {
    'a.mp3': media.mp3(100),
    'b.mp3': Buffer.from('no media'),
    'c.mp3': media.mp3(100).subarray(0, 1_000),
  };
  for (const [name, body] of Object.entries({ ...bodies, 'd.txt': Buffer.from('text') }))
    await writeFile(folder(name), body);
  const lengths = ['a.mp3', 'b.mp3', 'c.mp3', 'd.txt', 'e.mp3'].map((name) =>
    mediaSeconds(folder(name), name.slice(2)),
  );
  expect(await Promise.all(lengths)).toEqual([2.4, undefined, undefined, undefined, undefined]);
});
