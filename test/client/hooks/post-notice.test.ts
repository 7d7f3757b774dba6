import { describe, expect, it } from '@jest/globals';
import type { NoticeMessage } from '../../../client/hooks/notice-content.ts';
import { createFetch } from '../../../api/create-fetch.ts';
import { postNotice, signatureOf } from '../../../client/hooks/post-notice.ts';
import { serveProxy } from '../../support/proxy-server.ts';
import { always, serve, type SeenRequest } from '../../support/api-server.ts';

const MESSAGE: NoticeMessage = {
  id: 'abc',
  type: 'batch.ended',
  timestamp: '2026-11-22T00:00:00.000Z',
  text: 'It ended.',
  data: {
    batch: 'b',
    account: 'u1',
    api: 'https://api.example/api/open/v1',
    exit: 'complete',
    exit_code: 0,
    rows: 1,
    outcomes: { succeeded: 1 },
    not_chosen: 0,
    credits: { charged: 1, reserved: 0, uncertain: 0, estimated: false, saved: 0, damaged: 0 },
    reason: null,
  },
};

const never = new AbortController().signal;

/** A receiver that answers so, and what it got. */
async function receiver(status: number, headers: Readonly<Record<string, string>> = {}) {
  const { origin, seen, close } = await serve(always(status, 'x'.repeat(1_000_000), headers));
  return { got: seen, url: `${origin}/T0/secret?key=1`, close };
}

describe('postNotice', () => {
  it('sends the message whole, signed, with its id', async () => {
    const { got, url } = await receiver(204);
    expect(await postNotice(url, MESSAGE, 'hush', never)).toBeUndefined();
    expect(got).toHaveLength(1);
    const [{ headers, body, url: path }] = got as [SeenRequest];
    expect(path).toBe('/T0/secret?key=1');
    expect(JSON.parse(body)).toEqual(MESSAGE);
    expect(headers).toMatchObject({ 'webhook-id': 'abc', 'content-type': 'application/json' });
    const timestamp = String(headers['webhook-timestamp']);
    expect(Math.abs(Number(timestamp) * 1_000 - Date.now())).toBeLessThan(60_000);
    expect(headers['webhook-signature']).toBe(signatureOf({ id: 'abc', timestamp, body, secret: 'hush' }));
  });

  it('goes through the proxy that is set, and says what is wrong with it', async () => {
    const { got, url } = await receiver(200);
    const { port } = new URL(url);
    let answer: number | { readonly status: number } = Number(port);
    const proxy = await serveProxy(() => answer);
    const through = createFetch({ HTTP_PROXY: proxy.origin });
    const send = (): Promise<string | undefined> =>
      postNotice('http://hooks.example/T0/secret?key=1', MESSAGE, undefined, never, through);
    expect(await send()).toBeUndefined();
    expect(got).toHaveLength(1);
    expect(got[0]).toMatchObject({ url: '/T0/secret?key=1', headers: { host: 'hooks.example' } });
    expect(JSON.parse(got[0]?.body ?? '')).toEqual(MESSAGE);
    expect(got[0]?.headers['content-length']).toBe(String(Buffer.byteLength(got[0]?.body ?? '')));
    answer = { status: 502 };
    expect(await send()).toBe(
      `hooks.example: proxy refused: 127.0.0.1:${proxy.port} answered 502 Bad Gateway to a tunnel to hooks.example:80`,
    );
  });

  it('is not signed without a secret', async () => {
    const { got, url } = await receiver(200);
    expect(await postNotice(url, MESSAGE, undefined, never)).toBeUndefined();
    expect(got[0]?.headers).not.toHaveProperty('webhook-signature');
  });

  it.each([500, 429, 404])('says that the receiver answered %s, without the path', async (status) => {
    const { url } = await receiver(status);
    expect(await postNotice(url, MESSAGE, undefined, never)).toBe(`${new URL(url).host} answered ${status}`);
  });

  it('follows no redirect', async () => {
    const { got, url } = await receiver(307, { location: '/elsewhere' });
    expect(await postNotice(url, MESSAGE, undefined, never)).toMatch(/answered 307$/);
    expect(got).toHaveLength(1);
  });

  it('says that nobody is there', async () => {
    const { url, close } = await receiver(200);
    await close();
    expect(await postNotice(url, MESSAGE, undefined, never)).toMatch(/^127\.0\.0\.1:\d+: (ECONNREFUSED|ECONNRESET)$/);
  });

  it('is cut off by the signal', async () => {
    const { url } = await receiver(200);
    await expect(postNotice(url, MESSAGE, undefined, AbortSignal.abort())).rejects.toThrow();
  });
});

// The example of the specification: github.com/standard-webhooks/standard-webhooks, "Signature scheme".
it('signatureOf is that of Standard Webhooks', () => {
  const signed = {
    id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    timestamp: '1614265330',
    body: '{"test": 2432232314}',
    secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
  };
  expect(signatureOf(signed)).toBe('v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=');
});
