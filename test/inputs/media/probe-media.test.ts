import { beforeAll, describe, expect, it } from '@jest/globals';
import { createProbe, type Probe, probeMedia } from '../../../inputs/media/probe-media.ts';
import { muxVideo } from '../../../simulator/media/mux-video.ts';
import { renderAudio } from '../../../simulator/media/render-audio.ts';
import { serveProxy } from '../../support/proxy-server.ts';
import { inRanges, redirect, startMediaServer, whole, type MediaServer, type Serve } from '../media-server.ts';
import { createMediaFetch } from '../../../api/create-fetch.ts';

const UNREADABLE = 'not a media type that voxbatch can read';
/** Longer than any probe of these tests takes. */
const LONG = 30_000;
const mp3 = renderAudio('mp3', 'probe', 7.2);
const wav = renderAudio('wav', 'probe', 3.25);
let mp4: Buffer;
beforeAll(async () => {
  mp4 = await muxVideo(mp3, 9.5);
});

let server: MediaServer;
const serve = async (routes: Readonly<Record<string, Serve>>): Promise<void> => {
  server = await startMediaServer(routes);
};

describe('probeMedia', () => {
  it('reads the length of audio and video, asks for ranges, which need not be there, and sends no token', async () => {
    await serve({
      '/a.mp3': inRanges(mp3, 'audio/mpeg'),
      '/a.wav': inRanges(wav, 'audio/wav'),
      '/a.mp4': inRanges(mp4, 'video/mp4'),
      '/plain.mp3': whole(mp3, 'audio/mpeg'),
      '/plain.wav': whole(wav, 'application/octet-stream'),
      '/plain.mp4': whole(mp4, 'video/mp4'),
    });
    for (const name of ['a', 'plain']) {
      for (const [extension, seconds] of Object.entries({ mp3: 7.2, wav: 3.25, mp4: 9.5 })) {
        const probed = await probeMedia(`${server.url}/${name}.${extension}`, LONG, fetch);
        expect(probed).toEqual({ seconds: expect.closeTo(seconds, 1) });
      }
    }
    for (const { headers } of server.requests) {
      expect(headers.range).toMatch(/^bytes=/);
      expect(headers).not.toHaveProperty('authorization');
      expect(headers).not.toHaveProperty('cookie');
    }
  });

  it('goes through the proxy that is set, and says why that did not work', async () => {
    await serve({
      '/a.mp4': redirect('http://cdn.example/b.mp4'),
      '/b.mp4': inRanges(mp4, 'video/mp4'),
      '/plain.mp3': whole(mp3, 'audio/mpeg'),
    });
    const { port } = new URL(server.url);
    const proxy = await serveProxy((name) => (name === 'shut.example:80' ? { status: 403 } : Number(port)));
    const probe = (url: string): Promise<object> =>
      probeMedia(url, LONG, createMediaFetch(undefined, { env: { HTTP_PROXY: proxy.origin } }));
    expect(await probe('http://media.example/a.mp4')).toEqual({ seconds: expect.closeTo(9.5, 1) });
    expect(await probe('http://media.example/plain.mp3')).toEqual({ seconds: expect.closeTo(7.2, 1) });
    expect(new Set(proxy.asked)).toEqual(new Set(['media.example:80', 'cdn.example:80']));
    expect(await probe('http://shut.example/a.mp4?sig=1')).toEqual({
      why: `cannot be reached (proxy refused: 127.0.0.1:${proxy.port} answered 403 Forbidden to a tunnel to shut.example:80)`,
      isSilent: true,
    });
  });

  it('says what an address holds that is no media', async () => {
    await serve({
      '/page': whole('<!doctype html><p>Sign in', 'text/html; charset=utf-8'),
      '/json': whole('{"error":"expired"}', 'application/json'),
      '/hidden-page': whole('<!doctype html><p>Sign in', 'video/mp4'),
      '/empty': whole('', 'audio/mpeg'),
      '/playlist': whole(`#EXTM3U\n#EXTINF:9,\nhttp://127.0.0.1:9/secret\n`, 'application/vnd.apple.mpegurl'),
    });
    const unreadable = ['/hidden-page', '/empty', '/playlist'].map((path) => [path, UNREADABLE] as const);
    for (const [path, why] of [
      ['/none', 'answers 404'] as const,
      ['/page', 'answers text/html rather than media'] as const,
      ['/json', 'answers application/json rather than media'] as const,
      ...unreadable,
    ]) {
      const result = await probeMedia(`${server.url}${path}`, LONG, fetch);
      expect(JSON.stringify(result)).not.toContain(server.url);
      expect([path, result]).toEqual([path, expect.objectContaining({ why })]);
    }
  });

  it('survives a file that ends too early', async () => {
    await serve({
      '/half.mp4': inRanges(mp4.subarray(0, 40), 'video/mp4'),
      '/cut.mp4': (_, response) => {
        const range = `bytes 0-${mp4.length - 1}/${mp4.length}`;
        response.writeHead(206, { 'content-range': range, 'content-length': mp4.length });
        response.write(mp4.subarray(0, 20), () => response.destroy());
      },
    });
    const half = await probeMedia(`${server.url}/half.mp4`, LONG, fetch);
    expect(half).toEqual({ why: expect.any(String), isSilent: false });
    expect(await probeMedia(`${server.url}/cut.mp4`, LONG, fetch)).toMatchObject({ why: expect.any(String) });
  });

  it('gives up on a server that hangs, and hangs up', async () => {
    const hungUp: Promise<unknown>[] = [];
    // Hung up by a reset or in order: `once` of Node's would reject at a reset.
    const hang: Serve = (request) => hungUp.push(new Promise((resolve) => request.socket.once('close', resolve)));
    await serve({
      '/hang': hang,
      '/stall': (request, response) => {
        hang(request, response);
        const range = `bytes 0-${mp4.length - 1}/${mp4.length}`;
        response.writeHead(206, { 'content-range': range, 'content-type': 'video/mp4' }).write(mp4.subarray(0, 10));
      },
    });
    const silent = { why: 'no length after 0.1 s', isSilent: true };
    for (const path of ['/hang', '/stall'])
      expect(await probeMedia(`${server.url}${path}`, 100, fetch)).toEqual(silent);
    expect(await Promise.all(hungUp)).toHaveLength(2);
  });
});

describe('createProbe', () => {
  const probeHere: Probe = (url) => probeMedia(url, LONG, fetch);

  it('reads each URL once, and a few at a time', async () => {
    let now = 0;
    let most = 0;
    const slow: Serve = (request, response) => {
      most = Math.max(most, ++now);
      response.once('close', () => now--);
      setImmediate(() => {
        whole(wav, 'audio/wav')(request, response);
      });
    };
    const paths = Array.from({ length: 12 }, (_, at) => `/${at}.wav`);
    await serve(Object.fromEntries(paths.map((path) => [path, slow])));
    const probe = createProbe(probeHere, { atOnce: 3 });
    const results = await Promise.all([...paths, ...paths].map((path) => probe(`${server.url}${path}`)));
    expect(results).toHaveLength(24);
    for (const result of results) expect(result).toEqual({ seconds: expect.closeTo(3.25, 3) });
    expect(server.requests).toHaveLength(12);
    expect(most).toBeLessThanOrEqual(3);
  });

  it('does not ask a server that is down over and over, and asks one that answers 404', async () => {
    await serve({});
    await server.close();
    const refused = { why: 'cannot be reached (ECONNREFUSED)', isSilent: true };
    expect(await probeHere(`${server.url}/a.mp3`)).toEqual(refused);
    const gone = createProbe(probeHere, { atOnce: 1 });
    const down = await Promise.all(Array.from({ length: 7 }, (_, at) => gone(`${server.url}/${at}`)));
    expect(down.map((result) => ('why' in result ? result.why.slice(0, 9) : ''))).toEqual([
      ...new Array<string>(5).fill('cannot be'),
      ...new Array<string>(2).fill('not tried'),
    ]);
    await serve({});
    const probe = createProbe(probeHere, { atOnce: 1 });
    await Promise.all(Array.from({ length: 7 }, (_, at) => probe(`${server.url}/${at}`)));
    expect(server.requests).toHaveLength(7);
  });
});
