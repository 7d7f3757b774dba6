import { describe, expect, it } from '@jest/globals';
import { createIdentify } from '../../../inputs/media/media-identity.ts';
import { serveProxy } from '../../support/proxy-server.ts';
import { inRanges, redirect, startMediaServer, tagged, whole, type MediaServer, type Serve } from '../media-server.ts';
import { createMediaFetch } from '../../../api/create-fetch.ts';

const FILM = Buffer.from('a film of twenty-seven bytes');

let server: MediaServer;
const serve = async (routes: Readonly<Record<string, Serve>>): Promise<void> => {
  server = await startMediaServer(routes);
};

/** The API is on this machine, too. */
const identify = createIdentify(createMediaFetch('http://127.0.0.1'));

describe('what is behind a link', () => {
  it('is known by a strong tag and the length, with and without ranges, through redirects', async () => {
    await serve({
      '/ranges.mp4': tagged(inRanges(FILM, 'video/mp4'), '"v1"'),
      '/plain.mp4': tagged(whole(FILM, 'video/mp4'), '"v1"'),
      '/moved.mp4': redirect('/plain.mp4'),
    });
    for (const name of ['ranges', 'plain', 'moved']) {
      expect(await identify(`${server.url}/${name}.mp4`)).toEqual({ etag: '"v1"', bytes: FILM.length });
    }
    for (const { headers } of server.requests) {
      expect(headers).toMatchObject({ range: 'bytes=0-0', 'accept-encoding': 'identity' });
      expect(headers).not.toHaveProperty('authorization');
      expect(headers).not.toHaveProperty('cookie');
    }
  });

  it('is asked for through the proxy that is set', async () => {
    await serve({ '/a.mp4': tagged(whole(FILM, 'video/mp4'), '"v1"') });
    const { port } = new URL(server.url);
    const proxy = await serveProxy(() => Number(port));
    const through = createIdentify(createMediaFetch(undefined, { env: { HTTP_PROXY: proxy.origin } }));
    expect(await through('http://media.example/a.mp4')).toEqual({ etag: '"v1"', bytes: FILM.length });
    expect(proxy.asked).toEqual(['media.example:80']);
  });

  it('is not known without a strong tag, without a length, or where there is no media', async () => {
    await serve({
      '/weak.mp4': tagged(inRanges(FILM, 'video/mp4'), 'W/"v1"'),
      '/untagged.mp4': inRanges(FILM, 'video/mp4'),
      '/endless.mp4': tagged(
        (_, response) => response.writeHead(200, { 'content-type': 'video/mp4' }).end(FILM),
        '"v"',
      ),
      '/page.mp4': tagged(whole('<p>Sign in</p>', 'text/html'), '"v1"'),
    });
    for (const name of ['weak', 'untagged', 'endless', 'page', 'missing']) {
      expect([name, await identify(`${server.url}/${name}.mp4`)]).toEqual([name, undefined]);
    }
  });

  it('is asked for once by all rows, and again when it may have changed', async () => {
    await serve({ '/a.mp4': tagged(inRanges(FILM, 'video/mp4'), '"v1"') });
    const url = `${server.url}/a.mp4`;
    const lasting = createIdentify(fetch);
    await Promise.all([lasting(url), lasting(url)]);
    await lasting(url);
    expect(server.requests).toHaveLength(1);
    // Another run: the file may have been replaced before it.
    await lasting(url, 'tonight');
    await lasting(url, 'tonight');
    expect(server.requests).toHaveLength(2);
    const forgetful = createIdentify(fetch, { holdsMs: 0 });
    await forgetful(url);
    await forgetful(url);
    expect(server.requests).toHaveLength(4);
  });

  it('is not asked of a server for ever that does not answer', async () => {
    const hangsUp: Serve = (request) => {
      request.socket.destroy();
    };
    await serve(Object.fromEntries(Array.from({ length: 8 }, (_, at) => [`/${String(at)}.mp4`, hangsUp])));
    const silent = createIdentify(fetch, { atOnce: 1 });
    for (let at = 0; at < 8; at++) expect(await silent(`${server.url}/${String(at)}.mp4`)).toBeUndefined();
    expect(new Set(server.requests.map(({ path }) => path)).size).toBe(5);
  });
});
