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
 * Returns a function that stores the result in the body of an answer to a paid request, after recording its price. Such
 * a result comes only once, so failed writes are retried. A small result is kept in memory and written again as a whole
 * until the disk accepts it. Of a large one, each single write is retried, while the rest of the body waits, for as
 * long as the request may last. A large result does not use the disk space reserved for records.
 */
export function receivePaid(deps: Dependencies, loaded: LoadedAttempt, key: AttemptKey): Receive<StoredFile> {
  return async (answer, info) => {
    await notePrice(deps, key, info);
    // `growing`: the folder whose disk a large result fills. The verdict is the answer, for the log of a failed write.
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
      // The API client turns this error into a verdict, so the fault must be reported here.
      if (error instanceof StoreUnwritable) deps.onFault(error);
      throw error;
    }
  };
}

/** Maximum size of a small body, bytes. */
const SMALL_BYTES = 1024 ** 2;

/**
 * Reads a small body into memory, so that it can be stored again if the disk refuses it. Returns a stream of the same
 * bytes for a larger body, or for one that breaks off.
 */
export async function bufferSmallBody(body: Readable | Buffer): Promise<Readable | Buffer> {
  if (Buffer.isBuffer(body)) return body;
  // Without a listener, an error after the last read would end the process.
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

// eslint-disable-next-line @typescript-eslint/require-await -- `Readable.from` needs an async iterable.
async function* brokenAfter(chunks: readonly Buffer[], error: unknown): AsyncGenerator<Buffer> {
  yield* chunks;
  throw error;
}

/** Yields the bytes read so far, then the rest. */
async function* withRest(chunks: readonly Buffer[], source: AsyncIterator<Buffer>): AsyncGenerator<Buffer> {
  yield* chunks;
  yield* { [Symbol.asyncIterator]: () => source };
}
