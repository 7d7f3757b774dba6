import { describe, expect, it } from '@jest/globals';
import { createFetch } from '../../api/create-fetch.ts';
import { always, serve, serveRaw, type TestServer } from '../support/api-server.ts';
import { serveProxy, type TestProxy } from '../support/proxy-server.ts';

const URL_OF_FILE = 'http://media.example/a.wav?sig=secret';

/** What was rejected with: the words that people are shown. */
async function whyOf(answer: Promise<Response>): Promise<unknown> {
  const error: unknown = await answer.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(JSON.stringify(error)).not.toContain('secret');
  return (error as { cause?: { code?: unknown } }).cause?.code;
}

/** A fetch by a tunnel to a server, whatever its name. */
async function through({ port }: Pick<TestServer, 'port'>): Promise<{ get: typeof fetch; proxy: TestProxy }> {
  const proxy = await serveProxy(() => port);
  return { get: createFetch({ HTTP_PROXY: proxy.origin }), proxy };
}

describe('createFetch', () => {
  it('is that of Node where no proxy is set', () => expect(createFetch({ NO_PROXY: '*' })).toBe(fetch));

  it('reaches a host by tunnel, and reads its answer as Node does', async () => {
    const server = await serve(always(206, 'half', { etag: '"v1"', 'content-range': 'bytes 0-3/8' }));
    const { get, proxy } = await through(server);
    const response = await get(URL_OF_FILE, { headers: { range: 'bytes=0-3' } });
    expect(await response.text()).toBe('half');
    expect(response).toMatchObject({ status: 206, ok: true, type: 'basic' });
    expect(response.headers.get('etag')).toBe('"v1"');
    expect(response.headers.get('content-range')).toBe('bytes 0-3/8');
    expect(proxy.asked).toEqual(['media.example:80']);
    expect(server.seen[0]).toMatchObject({
      url: '/a.wav?sig=secret',
      headers: { host: 'media.example', range: 'bytes=0-3', 'accept-encoding': 'identity', accept: '*/*' },
    });
  });

  it('follows no redirect', async () => {
    const server = await serve(always(302, '', { location: '/b.wav' }));
    const response = await (await through(server)).get(URL_OF_FILE);
    expect([response.status, response.headers.get('location')]).toEqual([302, '/b.wav']);
    expect(server.seen).toHaveLength(1);
  });

  it('reaches this machine directly', async () => {
    const server = await serve(always(204, ''));
    const { get, proxy } = await through({ port: 1 });
    expect((await get(server.origin)).status).toBe(204);
    expect(proxy.connections()).toBe(0);
  });

  it('says what is wrong with the proxy, without the URL or a password', async () => {
    const proxy = await serveProxy(() => ({ status: 407 }));
    const refusing = createFetch({ HTTP_PROXY: proxy.origin.replace('//', '//me:secret@') });
    expect(await whyOf(refusing(URL_OF_FILE))).toBe(
      `proxy refused: 127.0.0.1:${proxy.port} answered 407 Proxy Authentication Required to a tunnel to media.example:80`,
    );
    const bad = createFetch({ HTTP_PROXY: 'socks5://me:secret@proxy.example:1080' });
    expect(await whyOf(bad(URL_OF_FILE))).toContain('HTTP_PROXY has the scheme socks5:');
  });

  it('rejects with the reason of the signal, also while the proxy is asked', async () => {
    const cancel = new AbortController();
    const reason = new Error('enough');
    const proxy = await serveRaw((socket) =>
      socket.once('data', () => {
        cancel.abort(reason);
      }),
    );
    const answer = createFetch({ HTTP_PROXY: proxy.origin })(URL_OF_FILE, { signal: cancel.signal });
    await expect(answer).rejects.toBe(reason);
  });

  it('ends the connection where the rest of a body is not wanted', async () => {
    let ended: () => void = () => undefined;
    const closed = new Promise<void>((resolve) => (ended = resolve));
    const server = await serve((_, response) => {
      response.once('close', ended).write('the beginning');
    });
    const response = await (await through(server)).get(URL_OF_FILE);
    await response.body?.cancel();
    await closed;
  });

  it('rejects a status that no answer has', async () => {
    const server = await serve(always(999, 'go away'));
    expect(await whyOf((await through(server)).get(URL_OF_FILE))).toBe('the answer has the status 999');
  });
});
