import { createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Lease } from '../bytes.ts';
import { Folders, onDisk } from '../folders.ts';
import { newPart } from '../put-in-folder.ts';
import type { BucketAnswer, BucketClient } from './client.ts';
import type { Scratch } from './scratch.ts';

/** Times that a download which breaks off goes on before it fails. */
const MOST_BREAKS = 20;

/** A stream of an object. One that breaks off goes on where it was. Rejects with code `ENOENT` if there is none. */
export async function readObject(client: BucketClient, key: string): Promise<Readable> {
  const first = await client.send({ method: 'GET', key, accepts: [404] });
  if (first.status === 404)
    throw Object.assign(new Error(`ENOENT: there is no object ${key}`), { code: 'ENOENT', syscall: 'open' });
  const stream = Readable.from(piecesOf(client, key, first), { objectMode: false });
  // Otherwise a stream that nobody begins to read would hold its connection.
  stream.on('close', () => first.body.destroy());
  return stream;
}

/** A copy of an object in a local file; undefined if there is none. */
export async function leaseObject(client: BucketClient, key: string, scratch: Scratch): Promise<Lease | undefined> {
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

async function* piecesOf(client: BucketClient, key: string, first: BucketAnswer): AsyncGenerator<Buffer, undefined> {
  const length = Number(first.headers['content-length']);
  const { etag = '' } = first.headers;
  let at = 0;
  let answer = first;
  for (let breaks = 0; ; breaks++) {
    try {
      for await (const piece of answer.body as AsyncIterable<Buffer>) {
        at += piece.length;
        yield piece;
      }
      if (at === length) return;
    } catch (error) {
      if (breaks >= MOST_BREAKS) throw error;
    }
    if (breaks >= MOST_BREAKS)
      throw client.unusable({ code: 'AWAY', message: `only ${String(at)} of ${String(length)} bytes came` });
    // Another content under the same name would make a mixture of both.
    const headers = { range: `bytes=${String(at)}-`, 'if-match': etag };
    answer = await client.send({ method: 'GET', key, headers, accepts: [404, 412] });
    if (answer.status !== 206) throw client.unusable({ code: 'Changed', message: `${key} changed while it was read` });
  }
}
