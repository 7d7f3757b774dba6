import { expect, it } from '@jest/globals';
import { hash } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { openBucketBytes, type BucketBytes } from '../../../store/s3/s3-bytes.ts';
import { endAfterTest } from '../../support/end-after-test.ts';

/** A place on a server that keeps objects, and refuses what a test wants. */
async function openOn(
  refusal: (request: IncomingMessage) => readonly [status: number, code: string] | undefined,
): Promise<BucketBytes> {
  const objects = new Map<string, Buffer>();
  const server = createServer((request, response) => {
    void buffer(request).then((body) => {
      const refused = refusal(request);
      const key = request.url?.split('?')[0] ?? '';
      if (request.method === 'PUT' && refused === undefined) objects.set(key, body);
      const kept = objects.get(key);
      if (refused !== undefined || kept === undefined) {
        const [status, code] = refused ?? [404, 'NoSuchKey'];
        response.writeHead(status).end(`<Error><Code>${code}</Code><Message>no</Message></Error>`);
        return;
      }
      response.writeHead(200, { etag: '"e"', 'content-length': String(kept.length) });
      response.end(request.method === 'HEAD' ? '' : kept);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const bytes = await openBucketBytes(
    { bucket: 'media', prefix: '' },
    {
      AWS_ENDPOINT_URL_S3: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`,
      AWS_REGION: 'us-east-1',
      AWS_ACCESS_KEY_ID: 'a',
      AWS_SECRET_ACCESS_KEY: 'b',
    },
  );
  endAfterTest(async () => {
    await bytes.close();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return bytes;
}

it('a server that cannot list unfinished uploads holds up no request, once it was asked long enough', async () => {
  const bytes = await openOn(({ url = '' }) => (url.includes('uploads') ? [503, 'ServiceUnavailable'] : undefined));
  bytes.outage.limit(300);
  expect(await bytes.claim('me')).toBe('me');
  await bytes.sweep();
  bytes.outage.limit(Infinity);
  await bytes.outage.whenAnswered(new AbortController().signal);
  expect(bytes.outage.trouble).toBeUndefined();
});

it('a file is copied by us on a server that cannot copy', async () => {
  const bytes = await openOn(({ headers }) => ('x-amz-copy-source' in headers ? [501, 'NotImplemented'] : undefined));
  bytes.outage.limit(Infinity);
  const body = Buffer.from('sound');
  const sha256 = hash('sha256', body, 'hex');
  await bytes.put('b/1.mp3', { from: body, bytes: body.length, sha256 });
  const file = { key: 'b/1.mp3', bytes: body.length, sha256, extension: 'mp3' } as const;
  expect(await bytes.copy(file, 'c/1.mp3')).toBe('reused');
  expect(String(await buffer(await bytes.read('c/1.mp3')))).toBe('sound');
});
