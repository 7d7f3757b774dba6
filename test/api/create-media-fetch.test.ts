import { describe, expect, it } from '@jest/globals';
import { isPrivateAddress, type Network } from '../../api/network.ts';
import { createIdentify } from '../../inputs/media/media-identity.ts';
import { probeMedia } from '../../inputs/media/probe-media.ts';
import { serve, type TestServer } from '../support/api-server.ts';
import { createMediaFetch } from '../../api/create-fetch.ts';

const FILE = 'the bytes of a file';
const INSIDE = '127.0.0.2';

/** Names that begin with `inside` are in a private network, and so is this machine, if it is not to stand for the internet. */
function networkOf(isHomePublic: boolean): Network {
  return {
    isPrivate: (address) => isPrivateAddress(address) && !(isHomePublic && address === '127.0.0.1'),
    lookup: (hostname, options, callback) => {
      const address = hostname.startsWith('inside') ? INSIDE : '127.0.0.1';
      if (options.all === true) callback(null, [{ address, family: 4 }]);
      else callback(null, address, 4);
    },
  };
}

const PUBLIC_API = 'https://api.example/api/open/v1';
const AT_HOME = { env: {}, network: networkOf(false) };
const OUTSIDE = { env: {}, network: networkOf(true) };

/** Serves a file at `/file`, and redirects `/to/URL` there. */
function serveFile(): Promise<TestServer> {
  return serve((request, response) => {
    const to = /^\/to\/(.+)$/.exec(request.url)?.[1];
    if (to === undefined) response.writeHead(200, { etag: '"v1"', 'content-length': FILE.length }).end(FILE);
    else response.writeHead(302, { location: decodeURIComponent(to) }).end();
  });
}

const fileAt = (server: TestServer, host = '127.0.0.1'): string => `http://${host}:${server.port}/file`;
const via = (server: TestServer, to: string): string => `${server.origin}/to/${encodeURIComponent(to)}`;

async function whyOf(fetch: typeof globalThis.fetch, url: string): Promise<unknown> {
  return fetch(url).then(
    ({ status }) => status,
    (error: unknown) => (error as { cause: { code: unknown } }).cause.code,
  );
}

describe('media that a manifest names', () => {
  it('are not asked for in a private network, by number or by name, unless the API is in one', async () => {
    const server = await serveFile();
    for (const api of ['https://8.8.8.8/api', undefined]) {
      const fetch = createMediaFetch(api, AT_HOME);
      for (const host of ['127.0.0.1', 'localhost', 'inside.example'])
        expect(await whyOf(fetch, fileAt(server, host))).toMatch(/private network, where a manifest must not lead/);
    }
    expect(server.seen).toEqual([]);
    const inside = createMediaFetch(server.origin, AT_HOME);
    for (const host of ['127.0.0.1', 'localhost']) expect(await (await inside(fileAt(server, host))).text()).toBe(FILE);
  });

  it('are not asked for there by a redirect from outside, whatever the API is', async () => {
    const front = await serveFile();
    for (const api of [PUBLIC_API, 'http://inside.example/api']) {
      for (const host of [INSIDE, 'inside.example', '10.0.0.1', '[::1]', '169.254.169.254'])
        expect(await whyOf(createMediaFetch(api, OUTSIDE), via(front, fileAt(front, host)))).toMatch(/private network/);
    }
    expect(front.seen).toHaveLength(10);
    expect(await whyOf(createMediaFetch(PUBLIC_API, OUTSIDE), via(front, fileAt(front)))).toBe(200);
  });

  it('have no length and no identity then', async () => {
    const server = await serveFile();
    const refusing = createMediaFetch('https://8.8.8.8/api', AT_HOME);
    expect(await createIdentify(refusing)(fileAt(server))).toBeUndefined();
    const probed = await probeMedia(fileAt(server), 10_000, refusing);
    expect(probed).toMatchObject({ why: expect.stringContaining('private network') });
    expect(server.seen).toEqual([]);
    const identified = await createIdentify(createMediaFetch(server.origin, AT_HOME))(fileAt(server));
    expect(identified).toEqual({ etag: '"v1"', bytes: FILE.length });
  });

  it.each(['file:///etc/passwd', 'ftp://outside.example/file', 'http://me:secret@outside.example/file'])(
    'are not asked for at %s',
    async (url) => {
      const front = await serveFile();
      const why = await whyOf(createMediaFetch(PUBLIC_API, OUTSIDE), via(front, url));
      expect(why).toContain('redirected to something that is not an http(s) URL');
    },
  );

  it('are given up after five redirects', async () => {
    const front = await serve((request, response) => response.writeHead(302, { location: request.url }).end());
    expect(await whyOf(createMediaFetch(PUBLIC_API, OUTSIDE), front.origin)).toContain('redirected more than 5 times');
    expect(front.seen).toHaveLength(6);
  });
});
