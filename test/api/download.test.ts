/** @slow */
import { createWriteStream } from 'node:fs';
import { finished, pipeline } from 'node:stream/promises';
import { describe, expect, it } from '@jest/globals';
import { ApiError, type Receive } from '../../api/speech-api.ts';
import { always, clientOf, LIMIT_MS, serve, serveRaw, TOKEN } from '../support/api-server.ts';
import { bytesOf, streamOf } from './bodies.ts';

const MP4 = Buffer.concat([Buffer.from('\u0000\u0000\u0000\u0018ftypisom', 'latin1'), Buffer.alloc(200_000, 7)]);
const VIDEO = { 'content-type': 'video/mp4' };

const take: Receive<Buffer> = async (body) => bytesOf(body);

async function classOf(promise: Promise<unknown>): Promise<string> {
  const error: unknown = await promise.then(
    () => 'nothing was thrown',
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof ApiError)) throw new Error('not an ApiError', { cause: error });
  expect(error.message).not.toContain('sig=');
  expect(error.message).not.toContain(TOKEN);
  return error.failure.class;
}

describe('download', () => {
  it('hands over the file and what is known about it', async () => {
    const server = await serve(always(200, MP4, { ...VIDEO, 'content-length': MP4.length }));
    const info = await clientOf('http://127.0.0.1:9').download(`${server.origin}/v?sig=1`, async (body, facts) => {
      expect(await bytesOf(body)).toEqual(MP4);
      return facts;
    });
    expect(info).toEqual({ contentType: 'video/mp4', contentLength: MP4.length });
  });

  it('hands over a small file whole, and a larger one as a stream, whether its length is known or not', async () => {
    const small = MP4.subarray(0, 20_000);
    const large = Buffer.concat([MP4, Buffer.alloc(1024 ** 2)]);
    for (const file of [small, large]) {
      for (const headers of [{ 'content-length': file.length }, { 'transfer-encoding': 'chunked' }]) {
        const server = await serve(always(200, file, { ...VIDEO, ...headers }));
        const got = await clientOf(server.origin).download(`${server.origin}/v`, async (body) => {
          expect(Buffer.isBuffer(body)).toBe(file === small);
          return bytesOf(body);
        });
        expect(got).toEqual(file);
      }
    }
  });

  it('loses nothing of a file whose pieces come all at once', async () => {
    const server = await serveRaw((socket) => {
      const chunk = (text: string): string => `${text.length.toString(16)}\r\n${text}\r\n`;
      const pieces = Array.from({ length: 50 }, (_, index) => chunk(`\u0000\u0001 piece ${index}`)).join('');
      socket.once('data', () =>
        socket.write(
          `HTTP/1.1 200 OK\r\nContent-Type: audio/mpeg\r\nTransfer-Encoding: chunked\r\n\r\n${pieces}0\r\n\r\n`,
        ),
      );
    });
    const got = await clientOf(server.origin).download(`${server.origin}/a`, take);
    expect(got.toString().match(/piece/g)).toHaveLength(50);
  });

  it("sends the token to the API's own origin only", async () => {
    const own = await serve(always(200, MP4, VIDEO));
    const other = await serve(always(200, MP4, VIDEO));
    const api = clientOf(own.origin);
    await api.download(`${own.origin}/files/v.mp4`, take);
    await api.download('/files/relative.mp4', take);
    await api.download(`${other.origin}/v.mp4`, take);
    // The same machine under another name is another origin.
    await api.download(`${own.origin.replace('127.0.0.1', 'localhost')}/v.mp4`, take).catch(() => undefined);
    for (const seen of own.seen.slice(0, 2)) expect(seen.headers.authorization).toBe(`Bearer ${TOKEN}`);
    for (const seen of [...own.seen.slice(2), ...other.seen]) expect(seen.headers.authorization).toBeUndefined();
    expect(other.seen).toHaveLength(1);
  });

  it.each(['file:///etc/passwd', 'data:audio/mpeg;base64,SUQz', 'ftp://h/x', 'http://', 'https://u:p@h.example/x'])(
    'refuses %s',
    async (link) => {
      expect(await classOf(clientOf('http://127.0.0.1:9').download(link, take))).toBe('ResultGone');
    },
  );

  it.each<[string, number, string | Buffer, Record<string, string>]>([
    ['ResultGone', 403, '<Error/>', { 'content-type': 'application/xml' }],
    ['ResultGone', 404, '', {}],
    ['ResultGone', 410, '', {}],
    ['ResultGone', 401, '', {}],
    ['ResultGone', 206, MP4, VIDEO],
    ['ResultGone', 204, '', {}],
    ['ResultGone', 200, '', VIDEO],
    ['ResultGone', 200, '<html>expired</html>', VIDEO],
    ['ResultGone', 200, '<html>expired</html>', { 'content-type': 'text/html' }],
    ['ResultGone', 200, '{"error":"expired"}', { 'content-type': 'application/json' }],
    ['RateLimited', 429, '', { 'retry-after': '3' }],
    ['ServiceDown', 500, '', {}],
    ['ServiceDown', 503, '<html>', { 'content-type': 'text/html' }],
  ])('throws %s for %d with %j', async (failureClass, status, body, headers) => {
    const server = await serve(always(status, body, headers));
    expect(await classOf(clientOf(server.origin).download(`${server.origin}/v?sig=1`, take))).toBe(failureClass);
  });

  it('throws ResultGone for a file that is cut, or shorter than its length', async () => {
    for (const end of ['end', 'resetAndDestroy'] as const) {
      const server = await serveRaw((socket) => {
        socket.once('data', () => {
          socket.write('HTTP/1.1 200 OK\r\nContent-Type: video/mp4\r\nContent-Length: 200000\r\n\r\n');
          socket.write(MP4.subarray(0, 150_000), () => socket[end]());
        });
      });
      expect(await classOf(clientOf('http://127.0.0.1:9').download(`${server.origin}/v`, take))).toBe('ResultGone');
    }
  });

  it('takes a file that takes longer than a download may, as long as it comes', async () => {
    const server = await serve((_request, response) => {
      response.writeHead(200, { ...VIDEO, 'content-length': String(2 * MP4.length) });
      response.write(MP4);
      setTimeout(() => response.end(MP4), LIMIT_MS + 300);
    });
    const count: Receive<number> = async (body) => (await bytesOf(body)).length;
    const download = clientOf(server.origin, { downloadTimeoutMs: LIMIT_MS }).download(`${server.origin}/v`, count);
    expect(await download).toBe(2 * MP4.length);
  });

  it('throws ResultGone for a file that stalls or does not end in time', async () => {
    const server = await serve((_request, response) => {
      response.writeHead(200, VIDEO);
      response.write(MP4.subarray(0, 128));
    });
    for (const limits of [{ readTimeoutMs: LIMIT_MS }, { downloadTimeoutMs: LIMIT_MS }, { maxMediaBytes: 100 }]) {
      const download = clientOf(server.origin, limits).download(`${server.origin}/v`, take);
      expect(await classOf(download)).toBe('ResultGone');
    }
  });

  it('throws ResultGone where the receiver finds the file unfit', async () => {
    const server = await serve(always(200, MP4, VIDEO));
    const unfit: Receive<void> = () => Promise.reject(new Error('not a video'));
    expect(await classOf(clientOf(server.origin).download(`${server.origin}/v`, unfit))).toBe('ResultGone');
  });

  it('lets the trouble of this machine through as it is', async () => {
    const server = await serve(always(200, MP4, VIDEO));
    const full: Receive<void> = (body) => pipeline(streamOf(body), createWriteStream('/dev/full'));
    await expect(clientOf(server.origin).download(`${server.origin}/v`, full)).rejects.toMatchObject({
      code: 'ENOSPC',
    });
  });

  it('tells a host that is not there from one that does not answer', async () => {
    const gone = await serveRaw(() => undefined);
    await gone.close();
    const silent = await serveRaw(() => undefined);
    const api = clientOf('http://127.0.0.1:9', { readTimeoutMs: LIMIT_MS });
    expect(await classOf(api.download(`${gone.origin}/v`, take))).toBe('NotSent');
    expect(await classOf(api.download(`${silent.origin}/v`, take))).toBe('ServiceDown');
  });

  it('can be cancelled in the middle', async () => {
    const stop = new AbortController();
    const server = await serve((_request, response) => {
      response.writeHead(200, VIDEO);
      response.write(Buffer.alloc(2 * 1024 ** 2, MP4));
    });
    const receive: Receive<void> = async (body) => {
      const stream = streamOf(body);
      stream.on('data', () => {
        stop.abort();
      });
      await finished(stream);
    };
    const promise = clientOf(server.origin).download(`${server.origin}/v`, receive, stop.signal);
    expect(await classOf(promise)).toBe('ResultGone');
  });
});
