import { expect, it } from '@jest/globals';
import { uploadMedia } from '../../../store/local-media/upload-media.ts';

/** Links to uploaded files, by a store whose URLs live for a given time. */

const HOUR = 3_600_000;
const file = { path: '/media/face.mp4', bytes: 1, sha256: 'a'.repeat(64), name: `${'a'.repeat(64)}.mp4` };

function linkLiving(livesMs: number, validMs: number): Promise<string> {
  const links = uploadMedia({
    upload: () => Promise.resolve(),
    presign: (key) => Promise.resolve({ url: `https://s3/${key}`, livesMs, limit: 'session' }),
  });
  return links.linkTo({ ...file, extension: 'mp4', seconds: 3 }, validMs);
}

it('a link that ends with a session is sent, since most jobs fetch their files at once', async () => {
  expect(await linkLiving(HOUR / 4, 3 * HOUR)).toBe(`https://s3/_inputs/${file.name}`);
});

it('a link that is dead before any job can fetch by it is not', async () => {
  for (const livesMs of [0, 60_000])
    await expect(linkLiving(livesMs, 3 * HOUR)).rejects.toThrow('sign in again, or start this process with new ones');
});
