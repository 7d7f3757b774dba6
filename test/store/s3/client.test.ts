import { describe, expect, it } from '@jest/globals';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { BucketClient } from '../../../store/s3/client.ts';
import type { BucketRequest } from '../../../store/s3/request.ts';
import { readObject } from '../../../store/s3/download.ts';
import { answering, type Answer, type Asked } from './answering.ts';

/** How requests are repeated, and what is not: against a server that answers as each case wants it. */

const page =
  (status: number, body: string, headers: Record<string, string> = {}): Answer =>
  (request, response) => {
    request.resume();
    response.writeHead(status, headers).end(body);
  };
const refuse = (status: number, code: string, headers: Record<string, string> = {}, more = ''): Answer =>
  page(status, `<Error><Code>${code}</Code><Message>no &amp; no</Message>${more}</Error>`, headers);
const accept = page(200, 'well', { etag: '"e"' });

const put = ({ client }: Asked): Promise<{ readonly status: number }> =>
  client.ask({ method: 'PUT', key: 'x/1', body: Buffer.from('sound') });

describe('a request is repeated', () => {
  it.each([
    ['slow down', refuse(503, 'SlowDown')],
    ['too many requests', refuse(429, 'TooManyRequests')],
    ['an internal error', refuse(500, 'InternalError')],
    ['a body that was cut on the way', refuse(400, 'IncompleteBody')],
    ['an answer of somebody else', page(404, '<html>no such page</html>')],
    ['a welcome page of somebody else', page(200, '<html>sign in</html>')],
    ['a conflict', refuse(409, 'OperationAborted')],
    [
      'an answer that breaks off',
      (request: IncomingMessage, response: ServerResponse): void => {
        request.resume();
        response.writeHead(200, { etag: '"e"', 'content-length': '100' });
        response.write('we', () => response.destroy());
      },
    ],
    [
      'no answer',
      (request: IncomingMessage): void => {
        request.socket.destroy();
      },
    ],
  ])('after %s', async (_name, answer) => {
    const asked = await answering(answer, answer, accept);
    expect(await put(asked)).toMatchObject({ status: 200 });
    expect(asked.requests).toHaveLength(3);
    expect(asked.client.outage.trouble).toBeUndefined();
  });

  it('once with new credentials after those that expired, and only once', async () => {
    const asked = await answering(refuse(400, 'ExpiredToken'), accept);
    expect(await put(asked)).toMatchObject({ status: 200 });
    expect(asked.renewed).toBe(1);
    const again = await answering(refuse(400, 'ExpiredToken'));
    await expect(put(again)).rejects.toThrow('Sign in again');
    expect(again.requests).toHaveLength(2);
  });

  it("with the server's clock after ours was found wrong", async () => {
    const date = new Date(Date.now() + 7_200_000).toUTCString();
    const asked = await answering(refuse(403, 'RequestTimeTooSkewed', { date }), accept);
    expect(await put(asked)).toMatchObject({ status: 200 });
    const [first, second] = asked.requests.map(({ headers }) => String(headers['x-amz-date']));
    expect(Number(second?.slice(9, 11)) - Number(first?.slice(9, 11))).not.toBe(0);
  });
});

describe('a request is refused', () => {
  it.each([
    ['AccessDenied', refuse(403, 'AccessDenied'), 'Allow these credentials s3:GetObject'],
    ['NoSuchBucket', refuse(404, 'NoSuchBucket'), 'Create the bucket'],
    [
      'PermanentRedirect',
      refuse(301, 'PermanentRedirect', { 'x-amz-bucket-region': 'eu-west-1' }),
      'AWS_REGION=eu-west-1',
    ],
    [
      'AuthorizationHeaderMalformed',
      refuse(400, 'AuthorizationHeaderMalformed', {}, '<Region>eu-west-2</Region>'),
      'AWS_REGION=eu-west-2',
    ],
    ['Odd', refuse(400, 'Odd'), 'Check the S3 server'],
    ['NotImplemented', refuse(501, 'NotImplemented'), 'Check the S3 server'],
    ['HTTP 501', page(501, '<html>not here</html>'), 'Check the S3 server'],
  ])('%s: at once, and says what to do', async (code, answer, words) => {
    const asked = await answering(answer);
    const putting = put(asked);
    await expect(putting).rejects.toMatchObject({ code });
    await expect(putting).rejects.toThrow(words);
    await expect(putting).rejects.toThrow('s3://media/x cannot be used');
    expect(asked.requests).toHaveLength(1);
  });

  it('in the end, if the server never goes on', async () => {
    const asked = await answering(refuse(503, 'SlowDown'));
    asked.client.outage.limit(300);
    const message = expect.stringContaining('cannot be used (PutObject x/1: SlowDown: no & no).');
    await expect(put(asked)).rejects.toMatchObject({ code: 'AWAY', message });
    expect(asked.requests.length).toBeGreaterThan(2);
  });
});

it.each<readonly [string, BucketRequest]>([
  ['PutObject x/1', { method: 'PUT', key: 'x/1' }],
  ['CopyObject x/1', { method: 'PUT', key: 'x/1', headers: { 'x-amz-copy-source': '/media/x/2' } }],
  ['UploadPart x/1', { method: 'PUT', key: 'x/1', query: { partNumber: '1', uploadId: 'u' } }],
  ['CreateMultipartUpload x/1', { method: 'POST', key: 'x/1', query: { uploads: '' } }],
  ['CompleteMultipartUpload x/1', { method: 'POST', key: 'x/1', query: { uploadId: 'u' } }],
  ['AbortMultipartUpload x/1', { method: 'DELETE', key: 'x/1', query: { uploadId: 'u' } }],
  ['GetObject x/1', { method: 'GET', key: 'x/1' }],
  ['DeleteObject x/1', { method: 'DELETE', key: 'x/1' }],
  ['ListObjectsV2 x/', { method: 'GET', query: { 'list-type': '2', prefix: 'x/' } }],
  ['ListMultipartUploads x/', { method: 'GET', query: { uploads: '', prefix: 'x/' } }],
])('whoever waits is told what for: %s', async (operation, request) => {
  const { client } = await answering(refuse(500, 'InternalError'), refuse(500, 'InternalError'), accept);
  const asking = client.ask(request);
  while (client.outage.trouble === undefined) await new Promise(setImmediate);
  expect(client.outage.trouble).toBe(`${operation}: InternalError: no & no`);
  await asking;
});

it('a fault of the program is neither repeated nor taken for one of the network', async () => {
  const fault = new TypeError('defaultProvider is not a function');
  const server = { region: 'us-east-1', url: new URL('http://127.0.0.1:1/media') };
  const client = new BucketClient({ bucket: 'media', prefix: 'x/', address: 's3://media/x' }, server, () =>
    Promise.reject(fault),
  );
  await expect(client.ask({ method: 'GET' })).rejects.toBe(fault);
  client.close();
  expect(client.outage.trouble).toBeUndefined();
});

/** An answer of ten bytes, or of the rest of them, that breaks off after these. */
const cutOff =
  (status: number, body: string): Answer =>
  (_request, response) => {
    response.writeHead(status, { 'content-length': '10', etag: '"e"' });
    response.write(body, () => response.destroy());
  };
const REST = page(206, '56789', { 'content-length': '5', etag: '"e"' });

it('a download that breaks off goes on where it was, and only in the same content', async () => {
  const cut = cutOff(200, '01234');
  const asked = await answering(cut, REST);
  expect(String(await buffer(await readObject(asked.client, 'x/1')))).toBe('0123456789');
  expect(asked.requests[1]?.headers).toMatchObject({ range: 'bytes=5-', 'if-match': '"e"' });
  const changed = await answering(cut, refuse(412, 'PreconditionFailed'));
  await expect(readObject(changed.client, 'x/1').then(buffer)).rejects.toThrow('changed while it was read');
});

it('a download that breaks off again and again, without a byte, is waited for like any other answer', async () => {
  let isWell = false;
  const rest: Answer = (request, response) => {
    (isWell ? REST : cutOff(206, ''))(request, response);
  };
  const asked = await answering(cutOff(200, '01234'), rest);
  asked.client.outage.limit(Infinity);
  const reading = readObject(asked.client, 'x/1').then(buffer);
  const failed = reading.then(
    () => 'read',
    (error: unknown) => error,
  );
  const inTrouble = (async (): Promise<string> => {
    while (asked.client.outage.trouble === undefined) await new Promise(setImmediate);
    return 'in trouble';
  })();
  expect(await Promise.race([failed, inTrouble])).toBe('in trouble');
  isWell = true;
  expect(String(await reading)).toBe('0123456789');
});

it('a stream that nobody reads gives its connection back', async () => {
  const asked = await answering((_request, response) => {
    response.writeHead(200, { 'content-length': '10000000', etag: '"e"' });
    response.write('x');
  });
  const stream = await readObject(asked.client, 'x/1');
  const [request] = asked.requests;
  const closed = new Promise((resolve) => request?.socket.once('close', resolve));
  stream.destroy();
  await closed;
});
