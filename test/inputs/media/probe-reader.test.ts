/** @slow */
import { beforeAll, expect, it } from '@jest/globals';
import { pathToFileURL } from 'node:url';
import { createProbeReader } from '../../../inputs/media/probe-reader.ts';
import { compiledOf } from '../../compiled.mjs';
import { serveProxy } from '../../support/proxy-server.ts';
import { hangingMkv, mkv, wav } from '../../store/media.ts';
import { inRanges, startMediaServer, type MediaServer } from '../media-server.ts';

const ENTRY = pathToFileURL(compiledOf('inputs/media-thread.ts'));
let media: MediaServer;
beforeAll(async () => {
  media = await startMediaServer({
    '/1.wav': inRanges(wav(1), 'audio/wav'),
    '/2.mkv': inRanges(await mkv({ seconds: 2 }), 'video/x-matroska'),
    '/hanging.mkv': inRanges(await hangingMkv(), 'video/x-matroska'),
  });
});

async function reading<T>(
  apiUrl: string | undefined,
  use: (reader: ReturnType<typeof createProbeReader>) => Promise<T>,
  secondMs?: number,
): Promise<T> {
  const reader = createProbeReader(apiUrl, ENTRY, secondMs);
  try {
    return await use(reader);
  } finally {
    await reader.close();
  }
}

it('media that hang who reads them have no length, and those beside them are read', async () => {
  const paths = ['/1.wav', '/hanging.mkv', '/2.mkv'];
  const read = await reading(
    media.url,
    async (reader) => Promise.all(paths.map((path) => reader.read(media.url + path))),
    40,
  );
  expect(read).toEqual([
    { seconds: 1 },
    { why: 'could not be read in 30 s', isSilent: true },
    { seconds: expect.closeTo(2, 1) },
  ]);
});

it('asks nothing in a private network from its thread, unless the API is in one', async () => {
  const asked = media.requests.length;
  const refused = await reading('https://8.8.8.8/api', (reader) => reader.read(`${media.url}/1.wav`));
  expect(refused).toEqual({ why: expect.stringMatching(/private network/), isSilent: true });
  expect(media.requests).toHaveLength(asked);
});

it('goes through the proxy that this process is told of, though a thread has no environment', async () => {
  const proxy = await serveProxy(() => Number(new URL(media.url).port));
  const before = process.env['http_proxy'];
  process.env['http_proxy'] = proxy.origin;
  try {
    expect(await reading(media.url, (reader) => reader.read('http://media.example/1.wav'))).toEqual({ seconds: 1 });
    expect(new Set(proxy.asked)).toEqual(new Set(['media.example:80']));
  } finally {
    if (before === undefined) delete process.env['http_proxy'];
    else process.env['http_proxy'] = before;
  }
});
