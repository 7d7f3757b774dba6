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

/** Times that a download is begun whose object is replaced while it is read. */
const MOST_STARTS = 3;
const CHANGED = 'Changed';

/**
 * A stream of an object, or of some of its bytes. One that breaks off goes on where it was. Rejects with code `ENOENT`
 * if there is none, and with `StoredFileRefused`.
 */
export async function readObject(client: BucketClient, key: string, range?: FileRange): Promise<Readable> {
  const first = await begin(client, key, range && { at: range.first, last: range.last });
  if (first.status === 404)
    throw Object.assign(new Error(`ENOENT: there is no object ${key}`), { code: 'ENOENT', syscall: 'open' });
  const refused = refusedObject(key, first.code);
  if (refused !== undefined) throw refused;
  if (first.status === 416) throw client.unusable({ code: CHANGED, message: `${key} is shorter than its record says` });
  const stream = Readable.from(piecesOf(client, key, first, range), { objectMode: false });
  // Otherwise a stream that nobody begins to read would hold its connection.
  stream.on('close', () => first.body.destroy());
  return stream;
}

/** A copy of an object in a local file; undefined if there is none. Throws `StoredFileRefused`. */
export async function leaseObject(client: BucketClient, key: string, scratch: Scratch): Promise<Lease | undefined> {
  for (let starts = 1; ; starts++) {
    try {
      return await leaseOnce(client, key, scratch);
    } catch (error) {
      if (!(error instanceof BucketUnusable && error.code === CHANGED) || starts === MOST_STARTS) throw error;
    }
  }
}

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

const END: IteratorResult<Buffer, unknown> = { done: true, value: undefined };

/** An answer whose body has begun. */
interface Begun extends BucketAnswer {
  readonly pieces: AsyncIterator<Buffer, unknown>;
  readonly piece: IteratorResult<Buffer, unknown>;
}

/** Where a download begins or goes on; `etag`: another content under the same name would make a mixture of both. */
interface Range {
  readonly at: number;
  /** Default: the end of the object. */
  readonly last?: number | undefined;
  readonly etag?: string;
}

/** Asks for an object. An answer that breaks off before its first byte counts as none, so each of them brings some. */
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
      // Whatever breaks it off, the next answer tells.
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
