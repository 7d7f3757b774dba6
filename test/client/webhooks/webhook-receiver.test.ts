import { once } from 'node:events';
import type { Server } from 'node:http';
import net, { type AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createWebhookServer } from '../../../client/webhooks/webhook-receiver.ts';

const SECRET = 'aSecretThatNobodyKnows';
const KIB_64 = 64 * 1024;

let server: Server;
let heard: string[];
let rests: number;
beforeEach(async () => {
  [heard, rests] = [[], 0];
  server = createWebhookServer({
    secret: SECRET,
    onRequest: (body) => heard.push(body),
    rest: () => {
      rests += 1;
    },
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterEach(async () => {
  server.closeAllConnections();
  server.close();
  await once(server, 'close');
});

/** What comes back on a connection of its own until the server closes it. */
async function exchange(request: string): Promise<string> {
  const socket = connect();
  let answer = '';
  socket.on('data', (chunk: Buffer) => {
    answer += chunk.toString('latin1');
  });
  socket.write(request, 'latin1');
  // A reset is an end like any other, so this waits for no event that an error would reject.
  await new Promise((resolve) => socket.once('close', resolve));
  return answer;
}

function connect(): net.Socket {
  const socket = net.connect((server.address() as AddressInfo).port, '127.0.0.1');
  socket.on('error', () => undefined);
  return socket;
}

const post = (path: string, body: string, length = body.length): string =>
  `POST ${path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-length: ${String(length)}\r\n\r\n${body}`;

describe('the server of webhooks', () => {
  it.each([
    [`/${SECRET}`, ''],
    [`/hooks/${SECRET}`, ''],
    [`/a/b/${SECRET}?job=job-2`, 'job=job-2'],
  ])('hears what comes to %s: its query, its body, its headers', async (path, query) => {
    expect(await exchange(post(path, '{"id":"job-1"}'))).toMatch(/^HTTP\/1\.1 204 /);
    expect(heard).toEqual([`${query}\n{"id":"job-1"}\nhost\nx\nconnection\nclose\ncontent-length\n14`]);
    expect(rests).toBe(2);
  });

  it.each(['/', `/${SECRET}/more`, `/x${SECRET}`, `/?/${SECRET}`, `/${SECRET.toLowerCase()}`, `/${SECRET.slice(1)}`])(
    'answers 404 to %s, and does not wait for the body',
    async (path) => {
      // None of the body is sent: who reads it waits for ever.
      expect(await exchange(post(path, '', 1_000_000))).toMatch(/^HTTP\/1\.1 404 /);
      expect(heard).toEqual([]);
    },
  );

  it('takes a request without a body', async () => {
    expect(await exchange(post(`/${SECRET}`, ''))).toMatch(/^HTTP\/1\.1 204 /);
    expect(heard).toHaveLength(1);
  });

  it('reads the first 64 KiB of a body, answers, and does not wait for the rest', async () => {
    const body = 'x'.repeat(KIB_64 + 1_000);
    expect(await exchange(post(`/${SECRET}`, body, 10_000_000))).toMatch(/^HTTP\/1\.1 204 [^]*connection: close/i);
    // A failing comparison would print all of it.
    expect(heard[0]?.split('\n')[1] === 'x'.repeat(KIB_64)).toBe(true);
  });

  it('closes a connection that does not speak HTTP, and goes on', async () => {
    expect(await exchange('anything\r\n\r\n')).toBe('');
    expect(await exchange(`GET / HTTP/1.1\r\nhost: ${'x'.repeat(10_000)}\r\n\r\n`)).toBe('');
    expect(await exchange(post(`/${SECRET}`, 'job-1'))).toMatch(/^HTTP\/1\.1 204 /);
  });

  it('serves 256 connections at once and closes more', async () => {
    const request = post(`/${SECRET}`, 'x').replace('close', 'keep-alive');
    const sockets = Array.from({ length: 260 }, connect);
    const ends = sockets.map((socket) => {
      socket.write(request);
      return new Promise<string>((resolve) => {
        socket.once('data', () => {
          resolve('answered');
        });
        socket.once('close', () => {
          resolve('closed');
        });
      });
    });
    const all = await Promise.all(ends);
    for (const socket of sockets) socket.destroy();
    expect(all.filter((end) => end === 'answered')).toHaveLength(256);
    expect(heard).toHaveLength(256);
  });
});
