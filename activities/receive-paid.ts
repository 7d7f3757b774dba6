import type { Receive } from '../api/speech-api.ts';
import type { AttemptKey } from '../contract/batch.ts';
import { StoreUnwritable } from '../store/errors.ts';
import type { Persist, StoredFile } from '../store/store.ts';
import type { LoadedAttempt } from './attempt.ts';
import type { Dependencies } from './dependencies.ts';
import { writeInReservedSpace, retryUntilRecorded } from './retry-until-recorded.ts';
import { notePrice, receiveMedia } from './store-result.ts';
import { Readable } from 'node:stream';

/**
 * Stores the result in the answer to a paid request; its price is recorded first. The result is paid for and comes only
 * once. A small one is retried until the disk accepts it, like a verdict. For a large one, each write is retried until
 * the disk accepts it without using the space reserved for records, while the rest of the answer waits, for as long as
 * the request may last.
 */
export function receivePaid(deps: Dependencies, loaded: LoadedAttempt, key: AttemptKey): Receive<StoredFile> {
  return async (answer, info) => {
    await notePrice(deps, key, info);
    const persist: Persist = (write, growing) =>
      retryUntilRecorded(deps, key, { verdict: 'done' }, async () => {
        if (growing === undefined) return writeInReservedSpace(deps, write);
        // A growing file could use up the space that answers to other requests need.
        await deps.ledger.leaveRoom(growing);
        return write();
      });
    const body = await bufferSmallBody(answer);
    if (Buffer.isBuffer(body)) {
      const store = receiveMedia(deps, loaded, key);
      return persist(() => store(body, info));
    }
    try {
      return await receiveMedia(deps, loaded, key, persist)(body, info);
    } catch (error) {
      // The client treats this as a verdict; the user must also learn that the disk needs attention.
      if (error instanceof StoreUnwritable) deps.onFault(error);
      throw error;
    }
  };
}

/** A body of up to this size stays in memory anyway until it is stored, in bytes. */
const SMALL_BYTES = 1024 ** 2;

/**
 * Receives a small body in full, so that it can be stored again if the disk refuses it. A larger one, or one that
 * breaks off, stays a stream.
 */
export async function bufferSmallBody(body: Readable | Buffer): Promise<Readable | Buffer> {
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
