import https from 'node:https';
import tls from 'node:tls';
import http from 'node:http';
import type { Socket } from 'node:net';
import { describe, expect, it } from '@jest/globals';
import { createAgents } from '../../api/agents.ts';
import type { PaidRequest, SpeechApi, Verdict } from '../../api/speech-api.ts';
import { always, clientOf, LIMIT_MS, listen, serve, serveRaw, SPEECH_JOB, TOKEN } from '../support/api-server.ts';
import { waitFor } from '../support/wait-for.ts';

async function send(api: SpeechApi, signal?: AbortSignal, request: PaidRequest = SPEECH_JOB): Promise<string> {
  const verdict = await api.send(request, signal === undefined ? {} : { signal });
  expect(JSON.stringify(verdict)).not.toContain(TOKEN);
  return name(verdict);
}

function name(verdict: Verdict<unknown>): string {
  return 'failure' in verdict ? `${verdict.verdict} ${verdict.failure.class}` : verdict.verdict;
}

const ACCEPTED = 'HTTP/1.1 202 Accepted\r\nContent-Type: application/json\r\nContent-Length: 11\r\n\r\n{"id":"t1"}';

/** A port of this machine on which nobody listens. */
async function closedPort(): Promise<number> {
  const server = await serveRaw(() => undefined);
  await server.close();
  return server.port;
}

describe('a request that was certainly not sent', () => {
  it('refused connection', async () => {
    expect(await send(clientOf(`http://127.0.0.1:${await closedPort()}`))).toBe('not-accepted NotSent');
    // A name with several addresses fails with an error that stands for all of them.
    expect(await send(clientOf(`http://localhost:${await closedPort()}`))).toBe('not-accepted NotSent');
  });

  it('unknown host name', async () => {
    expect(await send(clientOf('https://nonexistent.invalid'))).toBe('not-accepted NotSent');
  });

  it('TLS to a port that speaks plain HTTP', async () => {
    const server = await serve(always(202, { id: 't1' }));
    expect(await send(clientOf(server.origin.replace('http:', 'https:')))).toBe('not-accepted NotSent');
    expect(server.seen).toEqual([]);
  });

  it('TLS handshake that is reset', async () => {
    const server = await serveRaw((socket) => {
      socket.once('data', () => socket.resetAndDestroy());
    });
    expect(await send(clientOf(server.origin.replace('http:', 'https:')))).toBe('not-accepted NotSent');
  });

  it('TLS handshake that never ends', async () => {
    let received = '';
    const server = await serveRaw((socket) => {
      socket.on('data', (data) => (received += data.toString('latin1')));
    });
    const api = clientOf(server.origin.replace('http:', 'https:'), { connectTimeoutMs: LIMIT_MS });
    expect(await send(api)).toBe('not-accepted NotSent');
    // A greeting, and nothing of the request.
    await waitFor(() => received.length > 0);
    expect(received).not.toContain('POST');
  });

  it('connection that is reset before it is up', async () => {
    const server = await serveRaw((socket) => socket.resetAndDestroy());
    const verdict = await clientOf(server.origin).send(SPEECH_JOB, {});
    // The reset may come before or after the connection is up on this side; only before, nothing was sent.
    const words = 'failure' in verdict ? verdict.failure.message : '';
    expect(name(verdict)).toBe(words.includes('connect E') ? 'not-accepted NotSent' : 'unknown OutcomeUnknown');
  });

  it('cancelled before the start', async () => {
    const server = await serve(always(202, { id: 't1' }));
    expect(await send(clientOf(server.origin), AbortSignal.abort())).toBe('not-accepted NotSent');
    expect(server.connections()).toBe(0);
  });

  it('cancelled while the connection is being made', async () => {
    const server = await serveRaw((socket) => {
      socket.once('data', () => {
        stop.abort();
      });
    });
    const stop = new AbortController();
    expect(await send(clientOf(server.origin.replace('http:', 'https:')), stop.signal)).toBe('not-accepted NotSent');
  });

  it('a row that lacks what the operation needs', async () => {
    const server = await serve(always(202, { id: 't1' }));
    const request: PaidRequest = { ...SPEECH_JOB, spec: { kind: 'tts', text: 'x', extra: {} } };
    expect(await send(clientOf(server.origin), undefined, request)).toBe('rejected BadRequest');
    expect(server.connections()).toBe(0);
  });
});

describe('a request that may have been taken', () => {
  it.each<[string, (socket: Socket) => void]>([
    ['closed at once after the connection was accepted', (socket) => void socket.end()],
    ['reset after the request', (socket) => void socket.once('data', () => socket.resetAndDestroy())],
    ['closed after the request', (socket) => void socket.once('data', () => socket.end())],
    ['half a head', (socket) => void socket.once('data', () => socket.end('HTTP/1.1 202 Acc'))],
    ['no HTTP', (socket) => void socket.once('data', () => socket.end('SSH-2.0-OpenSSH\r\n'))],
    ['a cut body', (socket) => void socket.once('data', () => socket.end(ACCEPTED.slice(0, -3)))],
    [
      'a body reset half-way',
      (socket) => void socket.once('data', () => socket.write(ACCEPTED.slice(0, -3), () => socket.resetAndDestroy())),
    ],
    ['an empty 204', (socket) => void socket.once('data', () => socket.end('HTTP/1.1 204 No Content\r\n\r\n'))],
    [
      'a broken gzip',
      (socket) =>
        void socket.once('data', () => socket.end(ACCEPTED.replace('\r\n\r\n', '\r\nContent-Encoding: gzip\r\n\r\n'))),
    ],
  ])('%s', async (_what, onConnection) => {
    const server = await serveRaw(onConnection);
    expect(await send(clientOf(server.origin))).toBe('unknown OutcomeUnknown');
    expect(server.connections()).toBe(1);
  });

  it.each<[string, (response: http.ServerResponse) => void]>([
    ['no answer', () => undefined],
    [
      'no body',
      (response) => {
        response.writeHead(202).flushHeaders();
      },
    ],
    ['a body that never ends', (response) => void response.writeHead(202).write('{"id":"t1"')],
  ])('%s in time', async (_what, answer) => {
    const server = await serve((_request, response) => {
      answer(response);
    });
    expect(await send(clientOf(server.origin, { requestTimeoutMs: LIMIT_MS }))).toBe('unknown OutcomeUnknown');
    expect(server.seen).toHaveLength(1);
  });

  it('a body that drips longer than the limit', async () => {
    const server = await serve((_request, response) => {
      response.writeHead(202, { 'content-type': 'application/json' });
      const drip = setInterval(() => response.write(' '), 20);
      response.on('close', () => {
        clearInterval(drip);
      });
    });
    expect(await send(clientOf(server.origin, { requestTimeoutMs: LIMIT_MS }))).toBe('unknown OutcomeUnknown');
  });

  it('silence in the middle of a body', async () => {
    const server = await serve((_request, response) => void response.writeHead(202).write('{"id":'));
    expect(await send(clientOf(server.origin, { readTimeoutMs: LIMIT_MS }))).toBe('unknown OutcomeUnknown');
  });

  it('cancelled after the request was received', async () => {
    const stop = new AbortController();
    const server = await serve(() => {
      stop.abort();
    });
    expect(await send(clientOf(server.origin), stop.signal)).toBe('unknown OutcomeUnknown');
    expect(server.seen).toHaveLength(1);
  });

  it('an answer without end', async () => {
    let written = 0;
    const server = await serve((_request, response) => {
      const piece = Buffer.alloc(64 * 1024, ' ');
      const more = (): void => {
        while (!response.destroyed && response.write(piece)) written += piece.length;
      };
      response.writeHead(202).on('drain', more);
      more();
    });
    expect(await send(clientOf(server.origin, { maxBodyBytes: 100_000 }))).toBe('unknown OutcomeUnknown');
    expect(written).toBeLessThan(50_000_000);
  });

  it('a kept connection that the server closes when the next request comes', async () => {
    for (const end of ['end', 'resetAndDestroy'] as const) {
      const server = await serveRaw((socket) => {
        let requests = 0;
        socket.on('data', () => {
          requests += 1;
          if (requests === 1) socket.write(ACCEPTED);
          else socket[end]();
        });
      });
      const api = clientOf(server.origin);
      expect(await send(api)).toBe('accepted');
      expect(await send(api)).toBe('unknown OutcomeUnknown');
      // One connection for both, and no hidden second try.
      expect(server.connections()).toBe(1);
    }
  });
});

describe('redirects of requests to the API', () => {
  it.each([301, 302, 303, 307, 308])('does not follow a %d, and the token goes nowhere else', async (status) => {
    const other = await serve(always(202, { id: 'stolen' }));
    const server = await serve(always(status, '', { location: `${other.origin}/api/open/v1/speech/tts/jobs` }));
    const api = clientOf(server.origin);
    expect(await send(api)).toBe('unknown OutcomeUnknown');
    await expect(api.readProfile()).rejects.toMatchObject({ failure: { class: 'ServiceDown', status } });
    expect(other.connections()).toBe(0);
  });
});

describe('connections', () => {
  it('are shared, and paid requests do not use those of reads', async () => {
    const server = await serve(always(200, { id: 't1', user_id: 'u1' }));
    const api = clientOf(server.origin);
    for (let count = 0; count < 3; count += 1) {
      expect(await send(api)).toBe('accepted');
      await api.readProfile();
    }
    expect(server.connections()).toBe(2);
  });

  it('that were idle too long are not used again for a paid request', async () => {
    const closed: Promise<void>[] = [];
    const server = await serveRaw((socket) => {
      closed.push(new Promise((resolve) => socket.once('end', resolve)));
      socket.on('data', () => socket.write(ACCEPTED));
    });
    const api = clientOf(server.origin, { agents: createAgents({ paidIdleMs: 50 }) });
    expect(await send(api)).toBe('accepted');
    await closed[0];
    expect(await send(api)).toBe('accepted');
    expect(server.connections()).toBe(2);
  });

  it('may be silent longer than the idle limit while a request is on the wire', async () => {
    const server = await serve((_request, response) => {
      setTimeout(() => {
        always(202, { id: 't1' })(_request, response);
      }, 300);
    });
    expect(await send(clientOf(server.origin, { agents: createAgents({ paidIdleMs: 50 }) }))).toBe('accepted');
  });

  it('close() ends idle ones and leaves requests on the wire alone', async () => {
    let finish: () => void = () => undefined;
    const received = new Promise<void>((resolve) => {
      finish = resolve;
    });
    let answer: () => void = () => undefined;
    const server = await serve((request, response) => {
      if (request.method === 'GET') {
        always(200, { user_id: 'u1' })(request, response);
        return;
      }
      answer = () => {
        always(202, { id: 't1' })(request, response);
      };
      finish();
    });
    const api = clientOf(server.origin);
    await api.readProfile();
    const sending = send(api);
    await received;
    api.close();
    answer();
    expect(await sending).toBe('accepted');
    await api.readProfile();
    expect(server.connections()).toBe(3);
  });

  it('use no proxy of the environment', async () => {
    const proxy = await serve(always(202, { id: 'proxied' }));
    const server = await serve(always(202, { id: 't1' }));
    const before = { ...process.env };
    Object.assign(process.env, { http_proxy: proxy.origin, HTTP_PROXY: proxy.origin, no_proxy: '', NO_PROXY: '' });
    try {
      expect(await clientOf(server.origin).send(SPEECH_JOB, {})).toMatchObject({ jobId: 't1' });
    } finally {
      for (const key of ['http_proxy', 'HTTP_PROXY', 'no_proxy', 'NO_PROXY']) {
        const old = before[key];
        if (old === undefined) Reflect.deleteProperty(process.env, key);
        else process.env[key] = old;
      }
    }
    expect(proxy.connections()).toBe(0);
  });
});

describe('TLS', () => {
  // A pre-shared key needs no certificate, and the handshake is a real one.
  const key = { psk: Buffer.from('0123456789abcdef'), identity: 'voxbatch' };
  const options = { ciphers: 'PSK', maxVersion: 'TLSv1.2' } as const;

  function securePair(psk = key.psk): { http: http.Agent; https: https.Agent } {
    const settings = {
      ...options,
      keepAlive: true,
      pskCallback: () => ({ ...key, psk }),
      checkServerIdentity: () => undefined,
    };
    return { http: new http.Agent(), https: new https.Agent(settings) };
  }

  async function serveTls(onRequest: (socket: tls.TLSSocket, count: number) => void): Promise<string> {
    const server = tls.createServer({ ...options, pskCallback: () => key.psk }, (socket) => {
      let count = 0;
      socket.on('error', () => undefined);
      socket.on('data', () => {
        count += 1;
        onRequest(socket, count);
      });
    });
    server.on('tlsClientError', () => undefined);
    return (await listen(server, [])).origin.replace('http:', 'https:');
  }

  it('sends over a new and over a kept connection, and knows when the kept one fails', async () => {
    const origin = await serveTls((socket, count) => {
      if (count < 3) socket.write(ACCEPTED);
      else socket.destroy();
    });
    const pair = securePair();
    const api = clientOf(origin, { agents: { paid: pair, free: pair, outside: pair } });
    expect(await send(api)).toBe('accepted');
    expect(await send(api)).toBe('accepted');
    expect(await send(api)).toBe('unknown OutcomeUnknown');
  });

  it('knows that a failed handshake sent nothing', async () => {
    let requests = 0;
    const origin = await serveTls(() => (requests += 1));
    const pair = securePair(Buffer.from('another key 0000'));
    expect(await send(clientOf(origin, { agents: { paid: pair, free: pair, outside: pair } }))).toBe(
      'not-accepted NotSent',
    );
    expect(requests).toBe(0);
  });
});
