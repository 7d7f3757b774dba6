import type http from 'node:http';
import type { Socket } from 'node:net';
import { describe, expect, it } from '@jest/globals';
import type { PaidRequest } from '../../api/speech-api.ts';
import { always, clientOf, LIMIT_MS, serve, serveRaw, SPEECH_JOB, type TestServer } from '../support/api-server.ts';
import { verdictName, verdictOf } from './verdict-of.ts';
import { waitFor } from '../support/wait-for.ts';

const ACCEPTED = 'HTTP/1.1 202 Accepted\r\nContent-Type: application/json\r\nContent-Length: 11\r\n\r\n{"id":"t1"}';

/** A port of this machine on which nobody listens. */
async function closedPort(): Promise<number> {
  const server = await serveRaw(() => undefined);
  await server.close();
  return server.port;
}

/** A server's address with TLS, which it does not speak. */
const tls = ({ origin }: TestServer): string => origin.replace('http:', 'https:');

describe('a request that was certainly not sent', () => {
  it.each<[string, () => Promise<string> | string]>([
    ['refused connection', async () => `http://127.0.0.1:${await closedPort()}`],
    // A name with several addresses fails with an error that stands for all of them.
    ['refused connection to a name', async () => `http://localhost:${await closedPort()}`],
    ['unknown host name', () => 'https://nonexistent.invalid'],
    ['TLS to a port that speaks plain HTTP', async () => tls(await serve(always(202, { id: 't1' })))],
    [
      'TLS handshake that is reset',
      async () => tls(await serveRaw((socket) => socket.once('data', () => socket.resetAndDestroy()))),
    ],
  ])('%s', async (_, originOf) => {
    expect(await verdictOf(clientOf(await originOf()))).toBe('not-accepted NotSent');
  });

  it('TLS handshake that never ends', async () => {
    let received = '';
    const server = await serveRaw((socket) => {
      socket.on('data', (data) => (received += data.toString('latin1')));
    });
    expect(await verdictOf(clientOf(tls(server), { connectTimeoutMs: LIMIT_MS }))).toBe('not-accepted NotSent');
    // A greeting, and nothing of the request.
    await waitFor(() => received.length > 0);
    expect(received).not.toContain('POST');
  });

  it('connection that is reset before it is up', async () => {
    const server = await serveRaw((socket) => socket.resetAndDestroy());
    const verdict = await clientOf(server.origin).send(SPEECH_JOB, {});
    // The reset may come before or after the connection is up on this side; only before, nothing was sent.
    const words = 'failure' in verdict ? verdict.failure.message : '';
    expect(verdictName(verdict)).toBe(words.includes('connect E') ? 'not-accepted NotSent' : 'unknown OutcomeUnknown');
  });

  it('cancelled before the start', async () => {
    const server = await serve(always(202, { id: 't1' }));
    expect(await verdictOf(clientOf(server.origin), AbortSignal.abort())).toBe('not-accepted NotSent');
    expect(server.connections()).toBe(0);
  });

  it('cancelled while the connection is being made', async () => {
    const stop = new AbortController();
    const server = await serveRaw((socket) => {
      socket.once('data', () => {
        stop.abort();
      });
    });
    expect(await verdictOf(clientOf(tls(server)), stop.signal)).toBe('not-accepted NotSent');
  });

  it('a row that lacks what the operation needs', async () => {
    const server = await serve(always(202, { id: 't1' }));
    const request: PaidRequest = { ...SPEECH_JOB, spec: { kind: 'tts', text: 'x', extra: {} } };
    expect(await verdictOf(clientOf(server.origin), undefined, request)).toBe('rejected BadRequest');
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
    expect(await verdictOf(clientOf(server.origin))).toBe('unknown OutcomeUnknown');
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
    expect(await verdictOf(clientOf(server.origin, { requestTimeoutMs: LIMIT_MS }))).toBe('unknown OutcomeUnknown');
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
    expect(await verdictOf(clientOf(server.origin, { requestTimeoutMs: LIMIT_MS }))).toBe('unknown OutcomeUnknown');
  });

  it('silence in the middle of a body', async () => {
    const server = await serve((_request, response) => void response.writeHead(202).write('{"id":'));
    expect(await verdictOf(clientOf(server.origin, { readTimeoutMs: LIMIT_MS }))).toBe('unknown OutcomeUnknown');
  });

  it('cancelled after the request was received', async () => {
    const stop = new AbortController();
    const server = await serve(() => {
      stop.abort();
    });
    expect(await verdictOf(clientOf(server.origin), stop.signal)).toBe('unknown OutcomeUnknown');
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
    expect(await verdictOf(clientOf(server.origin, { maxBodyBytes: 100_000 }))).toBe('unknown OutcomeUnknown');
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
      expect(await verdictOf(api)).toBe('accepted');
      expect(await verdictOf(api)).toBe('unknown OutcomeUnknown');
      // One connection for both, and no hidden second try.
      expect(server.connections()).toBe(1);
    }
  });
});

it.each([301, 302, 303, 307, 308])(
  'a request to the API follows no %d, and the token goes nowhere else',
  async (status) => {
    const other = await serve(always(202, { id: 'stolen' }));
    const server = await serve(always(status, '', { location: `${other.origin}/api/open/v1/speech/tts/jobs` }));
    const api = clientOf(server.origin);
    expect(await verdictOf(api)).toBe('unknown OutcomeUnknown');
    await expect(api.readProfile()).rejects.toMatchObject({ failure: { class: 'ServiceDown', status } });
    expect(other.connections()).toBe(0);
  },
);
