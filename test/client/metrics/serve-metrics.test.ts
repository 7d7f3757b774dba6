import { get } from 'node:http';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import type { IncomingMessage } from 'node:http';
import { expect, it } from '@jest/globals';
import { serveMetrics, type MetricsPort } from '../../../client/metrics/serve-metrics.ts';
import { endAfterTest } from '../../support/end-after-test.ts';
import { serve } from '../../support/api-server.ts';

let why: string | undefined;

async function open(host = '127.0.0.1'): Promise<MetricsPort> {
  why = undefined;
  const answers = { metrics: () => Promise.resolve('up 1\n'), problem: () => Promise.resolve(why) };
  const port = await serveMetrics({ type: 'port', host, port: 0 }, answers);
  endAfterTest(() => port.close());
  return port;
}

async function ask(
  url: string,
  headers: Readonly<Record<string, string>> = {},
  method = 'GET',
  path = new URL(url).pathname,
) {
  const request = get(url, { headers, method, path, agent: false });
  const [answer] = (await once(request, 'response')) as [IncomingMessage];
  return { status: answer.statusCode, type: answer.headers['content-type'], body: await text(answer) };
}

it('shows metrics in the form that Prometheus reads', async () => {
  const { url } = await open();
  expect(await ask(`${url}/metrics`, {}, 'GET', '/metrics?x=1')).toEqual({
    status: 200,
    type: 'text/plain; version=0.0.4; charset=utf-8',
    body: 'up 1\n',
  });
  expect(await ask(`${url}/metrics`, {}, 'HEAD')).toMatchObject({ status: 200, body: '' });
});

it('answers probes: it lives whatever it waits for, and is ready or says why not', async () => {
  const { url } = await open();
  expect(await ask(`${url}/readyz`)).toMatchObject({ status: 200, body: 'ready\n' });
  why = 'The store does not answer.';
  expect(await ask(`${url}/readyz`)).toMatchObject({ status: 503, body: 'The store does not answer.\n' });
  expect(await ask(`${url}/healthz`)).toMatchObject({ status: 200, body: 'ok\n' });
});

it('has nothing else, and takes nothing', async () => {
  const { url } = await open();
  expect(await ask(`${url}/`)).toMatchObject({ status: 404 });
  for (const odd of ['//evil.example/metrics', '//[', '*'])
    expect(await ask(url, {}, 'GET', odd)).toMatchObject({ status: 404 });
  expect(await ask(`${url}/metrics`, {}, 'POST')).toMatchObject({ status: 405 });
});

it.each([
  ['127.0.0.1', 'evil.example', 403],
  ['127.0.0.1', 'evil.example:9464', 403],
  ['127.0.0.1', 'localhost:9464', 200],
  ['127.0.0.1', '[::1]:9464', 200],
  ['0.0.0.0', '10.1.2.3:9464', 200],
  ['0.0.0.0', 'worker.example', 200],
])(
  'at %s a request to %s is answered with %i: a page cannot take loopback for its own host',
  async (host, named, status) => {
    const { url } = await open(host);
    expect(await ask(`${url.replace('0.0.0.0', '127.0.0.1')}/metrics`, { host: named })).toMatchObject({ status });
  },
);

it('says which port is taken', async () => {
  const { port } = await serve(() => undefined);
  const answers = { metrics: () => Promise.resolve(''), problem: () => Promise.resolve(undefined) };
  await expect(serveMetrics({ type: 'port', host: '127.0.0.1', port }, answers)).rejects.toMatchObject({
    problem: { type: 'no-metrics-port', port, code: 'EADDRINUSE' },
  });
});
