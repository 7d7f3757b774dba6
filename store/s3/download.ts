import { createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { FileRange, Lease } from '../bytes.ts';
import { Folders, onDisk } from '../folders.ts';
import { newPart } from '../put-in-folder.ts';
import type { BucketAnswer } from './answers.ts';
import type { BucketClient } from './client.ts';
import { BucketUnusable } from './errors.ts';
import { REFUSAL_CODES, refusedObject } from './refused-object.ts';
import type { Scratch } from './scratch.ts';

/** How often a download is started if its object is replaced while it is read. */
const MAX_STARTS = 3;
/** Our own error code for that. */
const CHANGED = 'Changed';

/**
 * Streams an object, or a range of it. If the connection breaks off, the stream goes on with a new request from where
 * it was. Rejects with code `ENOENT` if there is no such object, and with `StoredFileRefused`.
 */
export async function readObject(client: BucketClient, key: string, range?: FileRange): Promise<Readable> {
  const first = await begin(client, key, range && { at: range.first, last: range.last });
  if (first.status === 404)
    throw Object.assign(new Error(`ENOENT: there is no object ${key}`), { code: 'ENOENT', syscall: 'open' });
  const refused = refusedObject(key, first.code);
  if (refused !== undefined) throw refused;
  if (first.status === 416) throw client.unusable({ code: CHANGED, message: `${key} is shorter than its record says` });
  const stream = Readable.from(piecesOf(client, key, first, range), { objectMode: false });
  // A stream that is closed before it is read would otherwise hold its connection.
  stream.on('close', () => first.body.destroy());
  return stream;
}

/** Downloads an object to a local file; undefined if there is none. Throws `StoredFileRefused`. */
export async function leaseObject(client: BucketClient, key: string, scratch: Scratch): Promise<Lease | undefined> {
  for (let starts = 1; ; starts++) {
    try {
      return await leaseOnce(client, key, scratch);
    } catch (error) {
      if (!(error instanceof BucketUnusable && error.code === CHANGED) || starts === MAX_STARTS) throw error;
    }
  }
}

/** Downloads an object once. */
async function leaseOnce(client: BucketClient, key: string, scratch: Scratch): Promise<Lease | undefined> {
  const body = await readObject(client, key).catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  });
  if (body === undefined) return undefined;
  const path = newPart(scratch.folder.root);
  const release = async (): Promise<void> => {
    await rm(path, { force: true }).catch(() => undefined);
  };
  try {
    await new Folders().make(dirname(path));
    await onDisk(path, () => pipeline(body, createWriteStream(path, { flags: 'wx', mode: 0o600 })));
    return { path, release };
  } catch (error) {
    body.destroy();
    await release();
    throw error;
  }
}

/** The end of a body. */
const END: IteratorResult<Buffer, unknown> = { done: true, value: undefined };

/** An answer with the first piece of its body. */
interface Begun extends BucketAnswer {
  /** The further pieces. */
  readonly pieces: AsyncIterator<Buffer, unknown>;
  readonly piece: IteratorResult<Buffer, unknown>;
}

/** The range of a request. */
interface Range {
  /** First byte. */
  readonly at: number;
  /** Last byte, included. Default: the end of the object. */
  readonly last?: number | undefined;
  /** The object must still have this ETag, so that the stream does not mix two contents. */
  readonly etag?: string;
}

/**
 * Requests an object. An answer that breaks off before its first byte counts as no answer, so that each request makes
 * progress.
 */
async function begin(client: BucketClient, key: string, from?: Range): Promise<Begun> {
  const accepts = [404, ...REFUSAL_CODES, ...(from === undefined ? [] : [412, 416])];
  const headers =
    from === undefined
      ? {}
      : { range: `bytes=${String(from.at)}-${String(from.last ?? '')}`, ...(from.etag && { 'if-match': from.etag }) };
  return client.send({ method: 'GET', key, headers, accepts }, async (answer) => {
    const pieces = (answer.body as AsyncIterable<Buffer>)[Symbol.asyncIterator]();
    if (answer.status >= 300) return { ...answer, pieces, piece: END };
    const piece = await pieces.next();
    const due = answer.headers['content-length'] ?? '';
    if (piece.done === true && due !== '0') throw new Error(`none of ${due} bytes came`);
    return { ...answer, pieces, piece };
  });
}

/** Yields the pieces of an object, with as many requests as it takes. `first`: the answer to the first one. */
async function* piecesOf(
  client: BucketClient,
  key: string,
  first: Begun,
  { first: from, last }: Partial<FileRange> = {},
): AsyncGenerator<Buffer, undefined> {
  let at = from ?? 0;
  const end = at + Number(first.headers['content-length']);
  const { etag = '' } = first.headers;
  for (let answer = first; ; answer = await begin(client, key, { at, last, etag })) {
    if ((answer !== first || from !== undefined) && answer.status !== 206)
      throw client.unusable({ code: CHANGED, message: `${key} changed while it was read` });
    try {
      // Whatever broke the answer off, the next request shows whether it lasts.
      for (let { piece } = answer; piece.done !== true; piece = await answer.pieces.next().catch(() => END)) {
        at += piece.value.length;
        yield piece.value;
      }
    } finally {
      answer.body.destroy();
    }
    if (at === end) return;
  }
}
