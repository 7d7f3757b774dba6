import { randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { startCodecServer, type CodecServerOptions } from '../../../client/encryption/codec-server.ts';
import { parsePayloadKeys } from '../../../client/encryption/read-payload-keys.ts';
import { endAfterTest } from '../../support/end-after-test.ts';

const UI = 'https://temporal.example';
const keys = parsePayloadKeys(`k1:${randomBytes(32).toString('base64')}`);
const PLAIN = {
  payloads: [{ metadata: { encoding: btoa('json/plain') }, data: btoa('{"batch":"lines"}') }],
};

/** Starts a server until the test is over; returns how to ask it. */
async function open(options: Partial<CodecServerOptions> = {}) {
  if (keys === undefined) throw new Error('no keys');
  const server = await startCodecServer({ keys, host: '127.0.0.1', port: 0, origin: UI, ...options });
  endAfterTest(() => server.close());
  return (path: string, body: unknown, headers: Record<string, string> = {}, method = 'POST'): Promise<Response> =>
    fetch(`${server.url}${path}`, {
      method,
      headers: { connection: 'close', ...headers },
      ...(method === 'POST' ? { body: typeof body === 'string' ? body : JSON.stringify(body) } : {}),
    });
}

describe('the codec server', () => {
  it("encrypts and decrypts for the UI's origin and for tools without one, and keeps nothing in caches", async () => {
    const ask = await open();
    const encoded = (await (await ask('/encode', PLAIN)).json()) as typeof PLAIN;
    expect(atob(encoded.payloads[0]?.metadata.encoding ?? '')).toBe('binary/encrypted');
    const answer = await ask('/default/decode?x=1', encoded, { origin: UI, 'x-namespace': 'default' });
    expect(answer.status).toBe(200);
    expect(answer.headers.get('access-control-allow-origin')).toBe(UI);
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(await answer.json()).toEqual(PLAIN);
  });

  it("answers the command line's question for nothing, which it would repeat until its deadline", async () => {
    const ask = await open();
    for (const path of ['/decode', '/encode'])
      for (const nothing of [{}, { payloads: [] }]) {
        const answer = await ask(path, nothing);
        expect(answer.status).toBe(200);
        expect(await answer.json()).toEqual({ payloads: [] });
      }
  });

  it('answers the question that browsers ask before, for the one origin only', async () => {
    const ask = await open();
    const asked = await ask('/decode', undefined, { origin: UI }, 'OPTIONS');
    expect(asked.status).toBe(204);
    expect(asked.headers.get('access-control-allow-headers')).toContain('x-namespace');
    expect((await ask('/decode', undefined, { origin: 'https://evil.example' }, 'OPTIONS')).status).toBe(403);
  });

  it.each<[string, number, Parameters<Awaited<ReturnType<typeof open>>>]>([
    ['of another origin', 403, ['/decode', PLAIN, { origin: 'https://evil.example' }]],
    ['for another path', 404, ['/decodes', PLAIN]],
    ['by another method', 405, ['/decode', undefined, {}, 'PUT']],
    ['that is no JSON', 400, ['/decode', 'x']],
    ['of another form', 400, ['/decode', { payloads: [{ data: '%' }] }]],
    ['that is too long', 413, ['/decode', 'x'.repeat(17 * 1024 ** 2)]],
  ])('refuses a request %s', async (_, status, request) => {
    expect((await (await open())(...request)).status).toBe(status);
  });

  it('asks for its token, if it has one', async () => {
    const ask = await open({ token: 'open-sesame' });
    for (const headers of [{}, { authorization: 'Bearer open' }, { authorization: 'open-sesame' }])
      expect((await ask('/decode', PLAIN, headers)).status).toBe(401);
    expect((await ask('/decode', PLAIN, { authorization: 'Bearer open-sesame' })).status).toBe(200);
  });

  it('says which key is missing', async () => {
    const other = parsePayloadKeys(`k2:${randomBytes(32).toString('base64')}`);
    const encode = await open(other === undefined ? {} : { keys: other });
    const encoded: unknown = await (await encode('/encode', PLAIN)).json();
    const answer = await (await open())('/decode', encoded);
    expect(answer.status).toBe(400);
    expect(await answer.json()).toEqual({ message: expect.stringContaining('the key "k2"') });
  });
});
