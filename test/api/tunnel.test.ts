import { beforeAll, describe, expect, it } from '@jest/globals';
import { createAgents, type Agents } from '../../api/agents.ts';
import { refusePrivate, SYSTEM_NETWORK, type Network } from '../../api/network.ts';
import { readProxies } from '../../api/proxies.ts';
import { HttpsTunnelAgent, HttpTunnelAgent } from '../../api/tunnel-agents.ts';
import type { SpeechApi } from '../../api/speech-api.ts';
import {
  always,
  clientOf,
  LIMIT_MS,
  serve,
  serveRaw,
  SPEECH_JOB,
  SPEECH_SYNC,
  TOKEN,
  type TestServer,
} from '../support/api-server.ts';
import { serveProxy, serveTlsFront, type TestProxy } from '../support/proxy-server.ts';
import { certify } from '../support/self-made-ca.ts';
import { bytesOf } from './bodies.ts';
import { verdictOf } from './verdict-of.ts';

const API = 'https://api.example';
const NOWHERE: Network = {
  ...SYSTEM_NETWORK,
  lookup: (hostname, _options, callback) => {
    callback(Object.assign(new Error(`no ${hostname}`), { code: 'ENOTFOUND' }), []);
  },
};

/** The same, but for a host that this machine knows as a private one. */
const withPrivate = (host: string): Network => ({
  ...NOWHERE,
  lookup: (hostname, options, callback) => {
    if (hostname === host) callback(null, [{ address: '10.0.0.7', family: 4 }]);
    else NOWHERE.lookup(hostname, options, callback);
  },
});

let authority: ReturnType<typeof certify>;
beforeAll(() => {
  authority = certify('api.example');
});

/** What a client needs that trusts our authority and goes through the proxy, as `createAgents` makes it without that trust. */
function through(proxyUrl: string, network = NOWHERE): { readonly agents: Agents; readonly network: Network } {
  const proxyFor = readProxies({ HTTPS_PROXY: proxyUrl, HTTP_PROXY: proxyUrl });
  if (proxyFor === undefined) throw new Error('expected a proxy');
  const options = { keepAlive: true, ca: authority.ca, lookup: network.lookup };
  const pair = (check: (hostname: string) => Promise<void>) => ({
    http: new HttpTunnelAgent(options, { proxyFor, check }),
    https: new HttpsTunnelAgent(options, { proxyFor, check }),
  });
  const anywhere = () => Promise.resolve();
  return { network, agents: { paid: pair(anywhere), free: pair(anywhere), outside: pair(refusePrivate(network)) } };
}

function clientThrough(proxy: { readonly origin: string }, options: Parameters<typeof clientOf>[1] = {}): SpeechApi {
  return clientOf(API, { ...through(proxy.origin), ...options });
}

/** A server behind TLS and a proxy; whatever is not the API is at another port, if that is given. */
async function behindProxy(
  handler: Parameters<typeof serve>[0],
  otherPort?: number,
): Promise<{ readonly server: TestServer; readonly proxy: TestProxy }> {
  const server = await serve(handler);
  const front = await serveTlsFront(authority.server, server.port);
  const proxy = await serveProxy((name) => (name === 'api.example:443' ? front.port : (otherPort ?? front.port)));
  return { server, proxy };
}

describe('requests through a proxy', () => {
  it('go by one tunnel each kind, inside of which the proxy sees nothing, and a paid one goes once', async () => {
    const { server, proxy } = await behindProxy((request, response) => {
      const isProfile = request.url.endsWith('/profile');
      always(isProfile ? 200 : 202, isProfile ? { user_id: 'u1' } : { id: 't1' })(request, response);
    });
    const api = clientThrough({ origin: proxy.origin.replace('//', '//me:p%40ss@') });
    expect(await api.readProfile()).toMatchObject({ userId: 'u1' });
    expect(await api.readProfile()).toMatchObject({ userId: 'u1' });
    expect(await verdictOf(api)).toBe('accepted');
    expect(await verdictOf(api)).toBe('accepted');
    expect(proxy.asked).toEqual(['api.example:443', 'api.example:443']);
    expect(server.seen.map(({ method }) => method)).toEqual(['GET', 'GET', 'POST', 'POST']);
    expect(server.seen[0]?.headers.authorization).toBe(`Bearer ${TOKEN}`);
    expect(server.seen[0]?.headers['proxy-authorization']).toBeUndefined();
    const basic = `Basic ${Buffer.from('me:p@ss').toString('base64')}`;
    expect(proxy.headers.map((one) => one['proxy-authorization'])).toEqual([basic, basic]);
    expect(proxy.said()).not.toContain(TOKEN);
    expect(JSON.stringify(proxy.headers)).not.toContain(TOKEN);
  });

  it.each([407, 502, 403, 301])('were not sent where the proxy answers %d', async (status) => {
    const proxy = await serveProxy(() => ({ status }));
    const api = clientThrough({ origin: proxy.origin.replace('//', '//me:secret@') });
    const verdict = await api.send(SPEECH_JOB, {});
    expect(verdict).toMatchObject({
      verdict: 'not-accepted',
      failure: { class: 'NotSent', cause: expect.stringContaining('(proxy refused)') },
    });
    expect(JSON.stringify(verdict)).toContain(`127.0.0.1:${proxy.port} answered ${status}`);
    expect(JSON.stringify(verdict)).toContain('to a tunnel to api.example:443');
    expect(JSON.stringify(verdict)).not.toContain('secret');
    await expect(api.readProfile()).rejects.toMatchObject({ failure: { class: 'NotSent' } });
  });

  it('were not sent where no proxy listens, and say that it is the proxy', async () => {
    const gone = await serveProxy(() => 1);
    await gone.close();
    const verdict = await clientThrough(gone).send(SPEECH_JOB, {});
    expect(verdict).toMatchObject({ verdict: 'not-accepted', failure: { class: 'NotSent' } });
    expect(JSON.stringify(verdict)).toContain(`no proxy: 127.0.0.1:${gone.port} of HTTPS_PROXY cannot be reached`);
  });

  it('were not sent where the proxy hangs up, speaks no HTTP, or says nothing in time', async () => {
    const mute = await serveRaw((socket) => socket.resume());
    for (const proxy of [
      await serveRaw((socket) => socket.once('data', () => socket.destroy())),
      await serveRaw((socket) => socket.once('data', () => socket.end('SSH-2.0-hello\r\n'))),
      mute,
    ]) {
      expect(await verdictOf(clientThrough(proxy, { connectTimeoutMs: LIMIT_MS }))).toBe('not-accepted NotSent');
    }
  });

  it('can be cancelled while the proxy is asked', async () => {
    const cancel = new AbortController();
    const proxy = await serveRaw((socket) =>
      socket.once('data', () => {
        cancel.abort();
      }),
    );
    const verdict = await clientThrough(proxy).send(SPEECH_JOB, { signal: cancel.signal });
    expect(verdict).toMatchObject({ verdict: 'not-accepted', failure: { class: 'NotSent' } });
  });

  it('were not sent where the certificate at the other end is of another host, or of nobody we trust', async () => {
    const server = await serve(always(202, { id: 't1' }));
    for (const certified of [certify('api.example').server, certify('evil.example').server]) {
      const front = await serveTlsFront(certified, server.port);
      const proxy = await serveProxy(() => front.port);
      expect(await verdictOf(clientThrough(proxy))).toBe('not-accepted NotSent');
    }
    expect(server.seen).toEqual([]);
  });

  it('may have been taken where the tunnel breaks after the request', async () => {
    const { server, proxy } = await behindProxy((_request, response) => response.destroy());
    expect(await verdictOf(clientThrough(proxy))).toBe('unknown OutcomeUnknown');
    expect(server.seen).toHaveLength(1);
  });
});

describe('an API address with http', () => {
  it('is refused where a proxy would see the token, before anything is sent', async () => {
    const proxy = await serveProxy(() => 1);
    const proxyFor = readProxies({ HTTP_PROXY: proxy.origin });
    expect(() => clientOf('http://api.example', { allowHttp: true, proxyFor })).toThrow(
      `the proxy 127.0.0.1:${proxy.port} of HTTP_PROXY would see the token. Use https, or add api.example to NO_PROXY.`,
    );
    expect(proxy.connections()).toBe(0);
  });

  it('is this machine for rehearsals, and then no proxy is asked', async () => {
    const proxy = await serveProxy(() => 1);
    const proxyFor = readProxies({ HTTP_PROXY: proxy.origin, HTTPS_PROXY: proxy.origin });
    const server = await serve(always(202, { id: 't1' }));
    expect(await verdictOf(clientOf(server.origin, { proxyFor }))).toBe('accepted');
    expect(proxy.connections()).toBe(0);
  });
});

describe('a setting that is no HTTP proxy', () => {
  const proxyFor = readProxies({ HTTPS_PROXY: 'socks5://me:secret@proxy.example:1080' });

  it('is refused where the API would be reached through it, and is nothing elsewhere', async () => {
    expect(() => clientOf(API, { proxyFor })).toThrow('HTTPS_PROXY has the scheme socks5:');
    const server = await serve(always(202, { id: 't1' }));
    expect(await verdictOf(clientOf(server.origin, { proxyFor }))).toBe('accepted');
  });

  it('fails the downloads that need it, and says why', async () => {
    const server = await serve(always(202, { id: 't1' }));
    const failed = clientOf(server.origin, { proxyFor, network: NOWHERE }).download('https://cdn.example/a', bytesOf);
    await expect(failed).rejects.toMatchObject({
      failure: { class: 'NotSent', message: expect.stringContaining('HTTPS_PROXY has the scheme socks5:') },
    });
    await expect(failed).rejects.not.toMatchObject({ message: expect.stringContaining('secret') });
  });
});

describe('result links through a proxy', () => {
  const MP3 = Buffer.concat([Buffer.from('ID3\u0004\u0000\u0000', 'latin1'), Buffer.alloc(2_000, 0x55)]);
  const media = always(200, MP3, { 'content-type': 'audio/mpeg' });

  /** The API behind TLS, and plain hosts beside it; `location`: where a redirect of the API's leads. */
  async function world(
    location: string,
    network?: Network,
  ): Promise<{ readonly api: SpeechApi; readonly proxy: TestProxy }> {
    const files = await serve(media);
    const { proxy } = await behindProxy((request, response) => {
      if (request.url.startsWith('/moved')) always(302, '', { location })(request, response);
      else media(request, response);
    }, files.port);
    return { api: clientThrough(proxy, through(proxy.origin, network)), proxy };
  }

  it('are fetched by tunnel, also over http, and from other hosts without the token', async () => {
    const { api, proxy } = await world('http://cdn.example/a.mp3?sig=1');
    expect(await api.download('/moved', bytesOf)).toEqual(MP3);
    expect(proxy.asked).toEqual(['api.example:443', 'cdn.example:80']);
    expect(proxy.said()).toContain('GET /a.mp3?sig=1');
    expect(proxy.said()).not.toContain(TOKEN);
  });

  it('do not lead to a host that is written as a private address, or that this machine knows as private', async () => {
    const inside = withPrivate('inside.example');
    for (const host of ['10.0.0.7', '169.254.169.254', 'inside.example']) {
      const { api, proxy } = await world(`http://${host}/a`, inside);
      await expect(api.download('/moved', bytesOf)).rejects.toMatchObject({
        failure: { class: 'ResultGone', message: expect.stringContaining('its host is in a private network') },
      });
      expect(proxy.asked).toEqual(['api.example:443']);
    }
  });

  it('from a public host never lead into a private network, although the proxy itself is in one', async () => {
    // The API is a private one, so its links may be, too; but the way goes through a host that nobody here knows.
    const inside = withPrivate('api.example');
    const hop = await serve(always(302, '', { location: 'http://10.0.0.8/a' }));
    const proxy = await serveProxy(() => hop.port);
    const api = clientThrough(proxy, through(proxy.origin, inside));
    await expect(api.download('http://cdn.example/a', bytesOf)).rejects.toMatchObject({
      failure: { class: 'ResultGone', message: expect.stringContaining('private network') },
    });
    expect(proxy.asked).toEqual(['cdn.example:80']);
  });

  it('of a paid answer are fetched in the same way', async () => {
    const files = await serve(media);
    const link = { success: true, audio_url: 'http://cdn.example/a.mp3?sig=1' };
    const { proxy } = await behindProxy(always(200, link), files.port);
    expect(await clientThrough(proxy).send(SPEECH_SYNC, { receive: bytesOf })).toEqual({ verdict: 'done', media: MP3 });
  });
});

it('createAgents uses plain agents of Node where no proxy is set', () => {
  const { paid, free, outside } = createAgents({ proxyFor: undefined });
  for (const { http, https } of [paid, free, outside]) {
    expect(http).not.toBeInstanceOf(HttpTunnelAgent);
    expect(https).not.toBeInstanceOf(HttpsTunnelAgent);
  }
});
