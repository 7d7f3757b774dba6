import https from 'node:https';
import tls from 'node:tls';
import http from 'node:http';
import { describe, expect, it } from '@jest/globals';
import { createAgents } from '../../api/agents.ts';
import type { SpeechApi } from '../../api/speech-api.ts';
import { always, clientOf, listen, serve, serveRaw, SPEECH_JOB } from '../support/api-server.ts';
import { verdictOf } from './verdict-of.ts';

const ACCEPTED = 'HTTP/1.1 202 Accepted\r\nContent-Type: application/json\r\nContent-Length: 11\r\n\r\n{"id":"t1"}';

describe('connections', () => {
  it('are shared, and paid requests do not use those of reads', async () => {
    const server = await serve(always(200, { id: 't1', user_id: 'u1' }));
    const api = clientOf(server.origin);
    for (let count = 0; count < 3; count += 1) {
      expect(await verdictOf(api)).toBe('accepted');
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
    expect(await verdictOf(api)).toBe('accepted');
    await closed[0];
    expect(await verdictOf(api)).toBe('accepted');
    expect(server.connections()).toBe(2);
  });

  it('may be silent longer than the idle limit while a request is on the wire', async () => {
    const server = await serve((_request, response) => {
      setTimeout(() => {
        always(202, { id: 't1' })(_request, response);
      }, 300);
    });
    expect(await verdictOf(clientOf(server.origin, { agents: createAgents({ paidIdleMs: 50 }) }))).toBe('accepted');
  });

  it('close() ends idle ones and leaves requests on the wire alone', async () => {
    let receive: (answer: () => void) => void;
    const received = new Promise<() => void>((resolve) => (receive = resolve));
    const server = await serve((request, response) => {
      if (request.method === 'GET') always(200, { user_id: 'u1' })(request, response);
      else
        receive(() => {
          always(202, { id: 't1' })(request, response);
        });
    });
    const api = clientOf(server.origin);
    await api.readProfile();
    const sending = verdictOf(api);
    const answer = await received;
    api.close();
    answer();
    expect(await sending).toBe('accepted');
    await api.readProfile();
    expect(server.connections()).toBe(3);
  });

  it('use no proxy of the environment for this machine itself', async () => {
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
    const known = { pskCallback: () => ({ ...key, psk }), checkServerIdentity: () => undefined };
    return { http: new http.Agent(), https: new https.Agent({ ...options, keepAlive: true, ...known }) };
  }
  const clientWith = (origin: string, pair = securePair()): SpeechApi =>
    clientOf(origin, { agents: { paid: pair, free: pair, outside: pair } });

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
    const api = clientWith(origin);
    for (const verdict of ['accepted', 'accepted', 'unknown OutcomeUnknown'])
      expect(await verdictOf(api)).toBe(verdict);
  });

  it('knows that a failed handshake sent nothing', async () => {
    let requests = 0;
    const origin = await serveTls(() => (requests += 1));
    const stranger = clientWith(origin, securePair(Buffer.from('another key 0000')));
    expect(await verdictOf(stranger)).toBe('not-accepted NotSent');
    expect(requests).toBe(0);
  });
});
