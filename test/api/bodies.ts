import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import type { MediaBody, OpenFile } from '../../api/speech-api.ts';

/** All bytes of a body. */
export async function bytesOf(body: MediaBody): Promise<Buffer> {
  return Buffer.isBuffer(body) ? body : buffer(body);
}

/** A body as a stream, as a receiver sees it that writes to a pipe. */
export function streamOf(body: MediaBody): Readable {
  return Buffer.isBuffer(body) ? Readable.from([body], { objectMode: false }) : body;
}

/** Opens any recording: four bytes of a WAV file. */
export const openRiff: OpenFile = () =>
  Promise.resolve({
    async *read() {
      yield Buffer.from('RIFF');
    },
    close: () => Promise.resolve(),
  });
