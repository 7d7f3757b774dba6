import { describe, expect, it } from '@jest/globals';
import { hash } from 'node:crypto';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import type { BucketBytes } from '../../store/s3/s3-bytes.ts';
import { endAfterTest } from '../support/end-after-test.ts';
import { freshFolder } from '../support/fresh-folder.ts';
import { openClient, openPlace, s3ForFile, s3Server } from './server.ts';

/** Uploads in parts to a real server that loses answers, and aborts uploads. */

s3ForFile();

/** What happens to a request on its way; `cut`: its answer is lost. */
type Meeting = (request: http.IncomingMessage) => Promise<'cut' | undefined>;

/** A place in the bucket that is reached by a line on which requests meet something. */
async function openByLine(meet: Meeting): Promise<BucketBytes> {
  const url = new URL(s3Server().env['AWS_ENDPOINT_URL_S3'] ?? '');
  const { hostname: host, port } = url;
  const ask = async (request: http.IncomingMessage, body: Buffer): Promise<http.IncomingMessage> => {
    const { method, headers, url: path } = request;
    const upstream = http.request({ host, port, method, path, headers, agent: false });
    upstream.end(body).on('error', () => undefined);
    const [answer] = (await once(upstream, 'response')) as [http.IncomingMessage];
    return answer;
  };
  const pass = async (request: http.IncomingMessage, response: http.ServerResponse): Promise<void> => {
    const body = await buffer(request);
    const met = await meet(request);
    let answer: http.IncomingMessage | undefined;
    // The server resets the connection when it refuses a part before it has read it, which may take its answer away.
    while (answer === undefined) answer = await ask(request, body).catch(() => undefined);
    if (met === 'cut') {
      answer.resume();
      response.destroy();
      return;
    }
    response.writeHead(answer.statusCode ?? 0, answer.headers);
    await pipeline(answer, response);
  };
  // One after the other: the server may begin an upload anew with a part that it receives while it aborts it.
  let turn = Promise.resolve();
  const line = http.createServer((request, response) => {
    turn = turn.then(() => pass(request, response)).catch(() => void response.destroy());
  });
  line.listen(0, '127.0.0.1');
  await once(line, 'listening');
  endAfterTest(async () => {
    line.closeAllConnections();
    await new Promise((resolve) => line.close(resolve));
  });
  url.port = String((line.address() as AddressInfo).port);
  return openPlace(undefined, { AWS_ENDPOINT_URL_S3: url.href });
}

const BODY = Buffer.alloc(40_000_000, 'a film in three parts');

/** Puts the film, and tells what the bucket has of it. */
async function putFilm(bytes: BucketBytes): Promise<{ readonly isWhole: boolean }> {
  const from = `${freshFolder()}/film`;
  await writeFile(from, BODY);
  await bytes.put('b/1.mp4', { from, bytes: BODY.length, sha256: hash('sha256', BODY, 'hex') });
  return { isWhole: BODY.equals(await buffer(await bytes.read('b/1.mp4'))) };
}

const isPart = (number: number, { method, url = '' }: http.IncomingMessage): boolean =>
  method === 'PUT' && url.includes(`partNumber=${String(number)}&`);
const isCompletion = ({ method, url = '' }: http.IncomingMessage): boolean =>
  method === 'POST' && url.includes('uploadId=');

it('a large file is put once, whole, although the answer that it is complete is lost', async () => {
  let completions = 0;
  const bytes = await openByLine((request) => {
    if (isCompletion(request)) completions += 1;
    return Promise.resolve(isCompletion(request) && completions === 1 ? 'cut' : undefined);
  });
  expect(await putFilm(bytes)).toEqual({ isWhole: true });
  expect(completions).toBe(2);
});

describe('an upload that somebody else aborts', () => {
  /** Aborts the upload of a request before it arrives, as a sweep or a rule of the bucket does. */
  async function abort({ url = '' }: http.IncomingMessage): Promise<void> {
    const client = await openClient();
    const { pathname, searchParams } = new URL(url, 'http://s3');
    const query = { uploadId: searchParams.get('uploadId') ?? '' };
    await client.ask({ method: 'DELETE', key: pathname.replace('/media/', ''), query });
  }

  it.each([
    ['between two parts', (request: http.IncomingMessage) => isPart(2, request)],
    ['before it is completed', isCompletion],
  ])('%s is begun again, and the object is whole', async (_name, isMoment) => {
    let aborted = 0;
    const bytes = await openByLine(async (request) => {
      if (!isMoment(request) || aborted === 2) return undefined;
      aborted += 1;
      await abort(request);
      return undefined;
    });
    expect(await putFilm(bytes)).toEqual({ isWhole: true });
    expect(aborted).toBe(2);
  });

  it('again and again is given up, with what to do, and leaves nothing', async () => {
    let aborted = 0;
    const bytes = await openByLine(async (request) => {
      if (!isPart(2, request)) return undefined;
      aborted += 1;
      await abort(request);
      return undefined;
    });
    const putting = putFilm(bytes);
    await expect(putting).rejects.toMatchObject({ code: 'NoSuchUpload' });
    await expect(putting).rejects.toThrow('no lifecycle rule of the bucket');
    expect(aborted).toBe(3);
    expect(await bytes.stat('b/1.mp4')).toBeUndefined();
  });
});
