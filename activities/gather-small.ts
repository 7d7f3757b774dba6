import { Readable } from 'node:stream';

/** A body of up to this size stays in memory anyway until it is stored, in bytes. */
const SMALL_BYTES = 1024 ** 2;

/**
 * Receives a small body in full, so that it can be stored again if the disk refuses it. A larger one, or one that breaks
 * off, stays a stream.
 */
export async function gatherSmall(body: Readable | Buffer): Promise<Readable | Buffer> {
  if (Buffer.isBuffer(body)) return body;
  // An error after the last read would end the process.
  body.on('error', () => undefined);
  const chunks: Buffer[] = [];
  const source = (body as AsyncIterable<Buffer>)[Symbol.asyncIterator]();
  for (let bytes = 0; bytes <= SMALL_BYTES;) {
    try {
      const next = await source.next();
      if (next.done === true) return Buffer.concat(chunks);
      chunks.push(next.value);
      bytes += next.value.length;
    } catch (error) {
      return Readable.from(brokenAfter(chunks, error));
    }
  }
  return Readable.from(withRest(chunks, source));
}

// eslint-disable-next-line @typescript-eslint/require-await -- A stream is made of it.
async function* brokenAfter(chunks: readonly Buffer[], error: unknown): AsyncGenerator<Buffer> {
  yield* chunks;
  throw error;
}

async function* withRest(chunks: readonly Buffer[], source: AsyncIterator<Buffer>): AsyncGenerator<Buffer> {
  yield* chunks;
  yield* { [Symbol.asyncIterator]: () => source };
}
