import { describe, expect, it } from '@jest/globals';
import type { Network } from '../../api/network.ts';
import { ApiError, type Receive, type SpeechApi } from '../../api/speech-api.ts';
import type { Failure } from '../../contract/failures.ts';
import { always, clientOf, serve, SPEECH_SYNC, TOKEN, type TestServer } from '../support/api-server.ts';
import { bytesOf } from './bodies.ts';

const MP3 = Buffer.concat([Buffer.from('ID3\u0004\u0000\u0000', 'latin1'), Buffer.alloc(2_000, 0x55)]);
const AUDIO = { 'content-type': 'audio/mpeg' };
const take: Receive<Buffer> = (body) => bytesOf(body);

const OUTSIDE = '127.0.0.1';
const INSIDE = '127.0.0.2';
const HOSTS: Readonly<Record<string, readonly string[]>> = {
  'api.example': [OUTSIDE],
  'cdn.example': [OUTSIDE],
  'both.example': [INSIDE, OUTSIDE],
  'inside.example': [INSIDE],
  'api.inside.example': [INSIDE],
};

/** A world of its own: this machine's address is a public one, and the next one is in a private network. */
const NETWORK: Network = {
  lookup: (hostname, options, callback) => {
    const found = (HOSTS[hostname] ?? []).map((address) => ({ address, family: 4 }));
    const [first] = found;
    if (first === undefined) callback(Object.assign(new Error(`no ${hostname}`), { code: 'ENOTFOUND' }), []);
    else if (options.all === true) callback(null, found);
    else callback(null, first.address, first.family);
  },
  isPrivate: (address) => address === INSIDE,
};

/** A client of an API by this name, at the port of the server. */
function clientAt(host: string, { port }: Pick<TestServer, 'port'>): SpeechApi {
  return clientOf(`http://${host}:${port}`, { allowHttp: true, network: NETWORK });
}

async function failureOf(promise: Promise<unknown>): Promise<Failure> {
  const error: unknown = await promise.then(
    () => 'nothing was thrown',
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof ApiError)) throw new Error('not an ApiError', { cause: error });
  expect(JSON.stringify(error.failure)).not.toContain('sig=');
  expect(JSON.stringify(error.failure)).not.toContain(TOKEN);
  return error.failure;
}

describe('redirects of result links', () => {
  it.each([301, 302, 303, 307, 308])('follows a %d to another host, without the token', async (status) => {
    const cdn = await serve(always(200, MP3, AUDIO));
    const server = await serve(always(status, '', { location: `${cdn.origin}/a.mp3?sig=1` }));
    expect(await clientOf(server.origin).download('/files/a', take)).toEqual(MP3);
    expect(server.seen.map((seen) => seen.headers.authorization)).toEqual([`Bearer ${TOKEN}`]);
    expect(cdn.seen).toMatchObject([{ method: 'GET', url: '/a.mp3?sig=1' }]);
    expect(cdn.seen[0]?.headers.authorization).toBeUndefined();
  });

  it('keeps the token from its own origin once the way has left it', async () => {
    const away: { location: string } = { location: '' };
    const cdn = await serve((request, response) => {
      always(302, '', away)(request, response);
    });
    const server = await serve((request, response) => {
      if (request.url.endsWith('/first')) always(302, '', { location: '/files/second' })(request, response);
      else if (request.url === '/files/second') always(302, '', { location: cdn.origin })(request, response);
      else always(200, MP3, AUDIO)(request, response);
    });
    away.location = `${server.origin}/files/last`;
    expect(await clientOf(server.origin).download('/files/first', take)).toEqual(MP3);
    expect(server.seen.map(({ url, headers }) => [url, headers.authorization])).toEqual([
      ['/files/first', `Bearer ${TOKEN}`],
      ['/files/second', `Bearer ${TOKEN}`],
      ['/files/last', undefined],
    ]);
  });

  it('follows five, and no more', async () => {
    const numbered = await serve((request, response) => {
      const left = Number(/\d+/.exec(request.url)?.[0]);
      if (left > 0) always(302, '', { location: `/${left - 1}` })(request, response);
      else always(200, MP3, AUDIO)(request, response);
    });
    const api = clientOf(numbered.origin);
    expect(await api.download(`${numbered.origin}/5`, take)).toEqual(MP3);
    expect(await failureOf(api.download(`${numbered.origin}/6`, take))).toMatchObject({
      class: 'ResultGone',
      message: expect.stringContaining('redirected more than 5 times'),
      cause: `too many redirects from ${new URL(numbered.origin).host}`,
    });
    expect(numbered.seen).toHaveLength(12);
  });

  it.each(['file:///etc/passwd', 'ftp://h.example/a', 'https://u:p@h.example/a', 'http://', undefined])(
    'does not follow one to %s',
    async (location) => {
      const server = await serve(always(302, '', location === undefined ? {} : { location }));
      expect(await failureOf(clientOf(server.origin).download('/a?sig=1', take))).toMatchObject({
        class: 'ResultGone',
        message: expect.stringContaining('not an http(s) URL'),
      });
    },
  );

  it('names every host on the way, and counts the last one', async () => {
    const server = await serve(always(403, '<Error>request 17</Error>'));
    const front = await serve(always(302, '', { location: `http://cdn.example:${server.port}/a?sig=1` }));
    const failure = await failureOf(clientAt('api.example', front).download('/a', take));
    expect(failure).toMatchObject({ class: 'ResultGone', status: 403, cause: `403 from cdn.example:${server.port}` });
    expect(failure.message).toContain(`api.example:${front.port}, redirected to cdn.example:${server.port}`);
  });

  it('fetches the link of a paid answer in the same way', async () => {
    const cdn = await serve(always(200, MP3, AUDIO));
    const front = await serve(always(302, '', { location: `${cdn.origin}/a.mp3` }));
    const server = await serve(always(200, { audio_url: `${front.origin}/a` }));
    expect(await clientOf(server.origin).send(SPEECH_SYNC, { receive: take })).toMatchObject({
      verdict: 'done',
      media: MP3,
    });
  });
});

describe('private networks', () => {
  const REFUSED = { class: 'ResultGone', message: expect.stringContaining('its host is in a private network') };

  it.each(['inside.example', INSIDE])('a public API cannot lead to %s, by link or by redirect', async (host) => {
    const server = await serve(always(200, MP3, AUDIO));
    const front = await serve(always(302, '', { location: `http://${host}:${server.port}/a?sig=1` }));
    const api = clientAt('api.example', front);
    const refused = { ...REFUSED, cause: `a link into a private network from ${host}:${server.port}` };
    expect(await failureOf(api.download(`http://${host}:${server.port}/a?sig=1`, take))).toMatchObject(refused);
    expect(await failureOf(api.download('/a', take))).toMatchObject(refused);
    expect(await failureOf(api.download(`http://cdn.example:${front.port}/a`, take))).toMatchObject(refused);
    expect(server.connections()).toBe(0);
  });

  it('of a host with both kinds of addresses only the public ones are used', async () => {
    const server = await serve(always(200, MP3, AUDIO));
    const api = clientAt('api.example', server);
    expect(await api.download(`http://both.example:${server.port}/a`, take)).toEqual(MP3);
  });

  it('may be used by an API that is in one, until the way was outside', async () => {
    const server = await serve(always(200, MP3, AUDIO));
    const front = await serve(always(302, '', { location: `http://inside.example:${server.port}/a` }));
    const api = clientAt('api.inside.example', server);
    // Nobody listens there, which shows that it was tried.
    expect((await failureOf(api.download(`http://inside.example:${server.port}/a`, take))).class).toBe('NotSent');
    expect(await api.download(`http://cdn.example:${server.port}/a`, take)).toEqual(MP3);
    expect(await failureOf(api.download(`http://cdn.example:${front.port}/a`, take))).toMatchObject(REFUSED);
  });

  it('are closed as long as nobody knows where the API is', async () => {
    const server = await serve(always(200, MP3, AUDIO));
    const api = clientAt('lost.example', server);
    expect(await failureOf(api.download(`http://${INSIDE}:${server.port}/a`, take))).toMatchObject(REFUSED);
  });
});
