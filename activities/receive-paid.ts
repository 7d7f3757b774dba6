import type { Receive } from '../api/speech-api.ts';
import type { AttemptKey } from '../contract/batch.ts';
import { StoreUnwritable } from '../store/errors.ts';
import type { Persist, StoredFile } from '../store/store.ts';
import type { LoadedAttempt } from './attempt.ts';
import type { Dependencies } from './dependencies.ts';
import { gatherSmall } from './gather-small.ts';
import { inKeptRoom, retryUntilRecorded } from './retry-until-recorded.ts';
import { notePrice, receiveMedia } from './store-result.ts';

/**
 * Stores the result that answers a paid request; its price is recorded first. The result comes once, and is paid for:
 * a small one is kept until the disk accepts it, like a verdict. Of a large one each write is made until the disk accepts it beside the room
 * that is kept for records, and the rest of the answer waits, for as long as the request may last.
 */
export function receivePaid(
  deps: Dependencies,
  loaded: LoadedAttempt,
  key: AttemptKey,
  signal: AbortSignal,
): Receive<StoredFile> {
  return async (answer, info) => {
    await notePrice(deps, key, info);
    const persist: Persist = (write, growing) =>
      retryUntilRecorded(deps, key, { verdict: 'done' }, signal, async () => {
        if (growing === undefined) return inKeptRoom(deps, write);
        // It could use up what the answers to other requests need.
        await deps.ledger.leaveRoom(growing);
        return write();
      });
    const body = await gatherSmall(answer);
    if (Buffer.isBuffer(body)) {
      const store = receiveMedia(deps, loaded, key);
      return persist(() => store(body, info));
    }
    try {
      return await receiveMedia(deps, loaded, key, persist)(body, info);
    } catch (error) {
      // To the client it is a verdict; to the user it also means that the disk needs help.
      if (error instanceof StoreUnwritable) deps.onFault(error);
      throw error;
    }
  };
}
