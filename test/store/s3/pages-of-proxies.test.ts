import { expect, it } from '@jest/globals';
import { hash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { readObject } from '../../../store/s3/download.ts';
import { headObject, listObjects } from '../../../store/s3/objects.ts';
import { freshFolder } from '../../support/fresh-folder.ts';
import { answering, type Answer } from './answering.ts';
import { openOn } from './odd-server.ts';

/** What answers in the place of S3 for a moment, with a status that says that all is well, or that an object is missing. */

const PAGE = '<!DOCTYPE html><html><body>Back soon.</body></html>';
const saying =
  (body: string, headers: Readonly<Record<string, string>> = {}, status = 200): Answer =>
  (request, response) => {
    request.resume();
    response.writeHead(status, headers).end(request.method === 'HEAD' ? '' : body);
  };
const page = saying(PAGE, { 'content-type': 'text/html', 'content-length': String(PAGE.length) });
const list = (more = '', key = 'x/1'): string =>
  `<ListBucketResult><Contents><Key>${key}</Key></Contents>${more}</ListBucketResult>`;
const sound = saying('sound', { etag: '"e"', 'content-length': '5' });

async function listed(...answers: readonly Answer[]): Promise<readonly string[]> {
  const { client } = await answering(...answers);
  const keys: string[] = [];
  for await (const key of listObjects(client, 'x/')) keys.push(key);
  return keys;
}

it.each([
  ['a page of a proxy', page],
  ['an error that comes after 200', saying('<Error><Code>InternalError</Code><Message>no</Message></Error>')],
  ['a list that was cut off', saying('<ListBucketResult><IsTruncated>false</IsTruncated>')],
  ['nothing', saying('')],
])('%s is no empty list', async (_, first) => {
  expect(await listed(first, saying(list()))).toEqual(['x/1']);
});

it.each([
  ['with spaces before it, while the server worked', `<?xml version="1.0" encoding="UTF-8"?>\n   \n${list()}\n`],
  ['with spaces before all of it', `  \n<?xml version="1.0"?>${list()}`],
  ['with a namespace', list().replace('<ListBucketResult', '<ListBucketResult xmlns="http://s3.amazonaws.com/doc/"')],
  ['with a name for its namespace', list().replaceAll('<', '<s3:').replaceAll('<s3:/', '</s3:')],
])('a list is read %s', async (_, body) => {
  expect(await listed(saying(body))).toEqual(['x/1']);
});

it('a list that does not say how it goes on is refused: what follows would count as absent', async () => {
  await expect(listed(saying(list('<IsTruncated>true</IsTruncated>')))).rejects.toMatchObject({
    code: 'NotImplemented',
  });
});

it('a page of a proxy is no object', async () => {
  const { client } = await answering(page, sound);
  expect(await text(await readObject(client, 'x/1'))).toBe('sound');
});

it('a page of a proxy tells nothing of an object', async () => {
  const { client } = await answering(page, sound);
  expect(await headObject(client, 'x/1')).toMatchObject({ bytes: 5, etag: '"e"' });
});

it('an object is not missing because a proxy says so, for which no body tells', async () => {
  const { client } = await answering(saying(PAGE, {}, 404), page, sound);
  expect(await headObject(client, 'x/1')).toMatchObject({ bytes: 5 });
});

it('an object without a tag is one if S3 gives it: another program has put it where the server keeps its files', async () => {
  const { client } = await answering(saying('sound', { 'x-amz-request-id': '1', 'content-length': '5' }));
  expect(await text(await readObject(client, 'x/1'))).toBe('sound');
});

/** Answers the first of such requests with a page, and counts them all. */
function pageFirst(isMeant: (request: IncomingMessage) => boolean) {
  const asked = { count: 0 };
  const refusal = (request: IncomingMessage): string | undefined =>
    isMeant(request) && ++asked.count === 1 ? PAGE : undefined;
  return { asked, refusal };
}

it.each([
  ['begun', 'uploads='],
  ['completed', 'uploadId='],
])('an upload in parts is not taken for %s because of a page', async (_, query) => {
  const { asked, refusal } = pageFirst(({ method, url = '' }) => method === 'POST' && url.includes(query));
  const bytes = await openOn(refusal);
  const body = Buffer.alloc(20_000_000, 1);
  const from = `${freshFolder()}/film`;
  await writeFile(from, body);
  await bytes.put('b/1.mp4', { from, bytes: body.length, sha256: hash('sha256', body, 'hex') });
  expect(asked.count).toBe(2);
});

it('a copy is not taken for made because of a page', async () => {
  const { asked, refusal } = pageFirst(({ headers }) => 'x-amz-copy-source' in headers);
  const bytes = await openOn(refusal);
  const body = Buffer.from('sound');
  const file = { key: 'b/1.mp3', bytes: body.length, sha256: hash('sha256', body, 'hex'), extension: 'mp3' } as const;
  await bytes.put(file.key, { from: body, ...file });
  expect(await bytes.copy(file, 'c/1.mp3')).toBe('reused');
  expect(asked.count).toBe(2);
});
