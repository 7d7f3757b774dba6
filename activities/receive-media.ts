import { defined } from '../contract/defined.ts';
import type { Receive } from '../api/speech-api.ts';
import type { AttemptKey } from '../contract/batch.ts';
import { OPERATION_FACTS } from '../contract/row-kinds.ts';
import { StoreUnwritable } from '../store/errors.ts';
import { stemOf } from '../store/layout.ts';
import type { StoredFile } from '../store/store.ts';
import type { Dependencies } from './dependencies.ts';
import type { LoadedAttempt } from './load-attempt.ts';
import { notePrice } from './note-price.ts';
import { retryUntilRecorded } from './retry-until-recorded.ts';

/** Takes a result body to the store: whole, checked and synced, or not at all. */
export function receiveMedia(
  deps: Pick<Dependencies, 'store' | 'atFaultPoint'>,
  { batch, row, operation }: Pick<LoadedAttempt, 'batch' | 'row' | 'operation'>,
  key: AttemptKey,
): Receive<StoredFile> {
  return async (body, { contentLength, contentType }) => {
    const expectation = {
      family: OPERATION_FACTS[operation].result === 'video' ? ('video' as const) : ('audio' as const),
      contentType,
      ...defined({ format: row.spec.format, contentLength }),
    };
    return deps.store.write(stemOf(batch.layout, key), body, expectation, () => deps.atFaultPoint('before-rename'));
  };
}

/**
 * Takes the result that a paid request was answered with to the store, its price on record before that. It comes once, and it is paid for: one
 * that came whole is kept until the disk takes it, as a verdict is. One that came in pieces and could not be stored is a verdict to the client;
 * to the user it is also a disk that needs help.
 */
export function receivePaid(
  deps: Dependencies,
  loaded: LoadedAttempt,
  key: AttemptKey,
  signal: AbortSignal,
): Receive<StoredFile> {
  const store = receiveMedia(deps, loaded, key);
  return async (body, info) => {
    await notePrice(deps, key, info);
    if (Buffer.isBuffer(body)) {
      return retryUntilRecorded(deps, key, { verdict: 'done' }, signal, () => store(body, info));
    }
    try {
      return await store(body, info);
    } catch (error) {
      if (error instanceof StoreUnwritable) deps.onFault(error);
      throw error;
    }
  };
}
