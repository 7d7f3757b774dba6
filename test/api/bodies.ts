import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import type { MediaBody } from '../../api/speech-api.ts';

/** All bytes of a body. */
export async function bytesOf(body: MediaBody): Promise<Buffer> {
  return Buffer.isBuffer(body) ? body : buffer(body);
}

/** A body as a stream, as a receiver sees it that writes to a pipe. */
export function streamOf(body: MediaBody): Readable {
  return Buffer.isBuffer(body) ? Readable.from([body], { objectMode: false }) : body;
}
