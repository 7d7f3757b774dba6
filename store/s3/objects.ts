import type { BucketClient } from './client.ts';
import { HASH_HEADER } from './object-headers.ts';
import { REFUSAL_CODES } from './refused-object.ts';
import { textOf, textsOf } from './xml.ts';

/** The properties of an object, as the server reports them. */
export interface ObjectFacts {
  readonly bytes: number;
  readonly etag: string;
  /** Hash of its content, in hex; undefined if another program stored the object. */
  readonly sha256?: string | undefined;
  /** Whether it cannot be read, or only until it is archived again. */
  readonly isArchived: boolean;
  /** By the server's clock, ms since 1970. */
  readonly writtenAt: number;
}

/** Storage classes whose objects cannot be read until somebody restores them. */
const ARCHIVES = new Set(['GLACIER', 'DEEP_ARCHIVE']);

/** Returns the properties of an object; undefined if there is none. */
export async function headObject(client: BucketClient, key: string): Promise<ObjectFacts | undefined> {
  const { status, headers } = await client.send({ method: 'HEAD', key, accepts: [404] }, async (answer) => {
    answer.body.resume();
    // A 404 without a body may come from a proxy, and a result that counts as lost may be paid for again. So a GET must
    // confirm it.
    const isConfirmed = answer.status !== 404 || (await isMissing(client, key));
    return isConfirmed ? answer : { trouble: { code: 'AWAY', message: 'status 404 for an object that is there' } };
  });
  if (status === 404) return undefined;
  const [etag = '', sha256] = [headers.etag, headers[HASH_HEADER]?.toString()];
  const isArchived = ARCHIVES.has(String(headers['x-amz-storage-class'])) || 'x-amz-archive-status' in headers;
  const writtenAt = Date.parse(headers['last-modified']?.toString() ?? '');
  return { bytes: Number(headers['content-length']), etag, sha256, isArchived, writtenAt };
}

/** Whether S3 itself reports that there is no such object. */
async function isMissing(client: BucketClient, key: string): Promise<boolean> {
  const request = { method: 'GET', key, accepts: [404, ...REFUSAL_CODES] } as const;
  const { status, body } = await client.send(request, (answer) => Promise.resolve(answer));
  body.destroy();
  return status === 404;
}

/** Reads the text of a small object; undefined if there is none. */
export async function readText(client: BucketClient, key: string): Promise<string | undefined> {
  const { status, text } = await client.ask({ method: 'GET', key, accepts: [404] });
  return status === 404 ? undefined : text;
}

/** Lists the keys of all objects with this prefix, in order, up to `max` of them per request. */
export async function* listObjects(
  client: BucketClient,
  prefix: string,
  max = 1_000,
): AsyncGenerator<string, undefined> {
  for await (const page of pagesOf(client, { prefix, 'max-keys': String(max) })) yield* textsOf(page, 'Key');
}

/** Lists the folders with this prefix: each key up to the first slash after the prefix, that slash included, once. */
export async function* listFolders(client: BucketClient, prefix: string): AsyncGenerator<string, undefined> {
  for await (const page of pagesOf(client, { prefix, delimiter: '/' }))
    for (const group of textsOf(page, 'CommonPrefixes')) yield* textsOf(group, 'Prefix');
}

/** Yields the pages of a list, as XML. `parameters`: what to list. */
async function* pagesOf(
  client: BucketClient,
  parameters: Readonly<Record<string, string>>,
): AsyncGenerator<string, undefined> {
  for (let after: string | undefined; ;) {
    const page = after === undefined ? {} : { 'continuation-token': after };
    const query = { 'list-type': '2', ...parameters, ...page };
    const { text } = await client.ask({ method: 'GET', query, root: 'ListBucketResult' });
    yield text;
    if (textOf(text, 'IsTruncated') !== 'true') return;
    after = textOf(text, 'NextContinuationToken');
    // A server that only supports the first version of lists: all further objects would count as absent.
    if (after === undefined) throw client.unusable({ code: 'NotImplemented', message: 'lists have no token to go on' });
  }
}

/** Removes an object. A missing one counts as removed. */
export async function removeObject(client: BucketClient, key: string): Promise<void> {
  // S3 answers 204 for a missing object, some other servers 404.
  await client.ask({ method: 'DELETE', key, accepts: [404] });
}
