import type { Receive } from '../api/speech-api.ts';
import type { AttemptKey } from '../contract/batch.ts';
import { stemOf } from '../store/layout.ts';
import type { StoredFile } from '../store/store.ts';
import type { Dependencies } from './dependencies.ts';
import type { LoadedAttempt } from './load-attempt.ts';

/** Takes a result body to the store: whole, checked and synced, or not at all. */
export function receiveMedia(
  deps: Pick<Dependencies, 'store' | 'atFaultPoint'>,
  { batch, row }: Pick<LoadedAttempt, 'batch' | 'row'>,
  key: AttemptKey,
  family: 'audio' | 'video',
): Receive<StoredFile> {
  return async (body, { contentLength, contentType }) => {
    const expectation = {
      family,
      contentType,
      ...(row.spec.format === undefined ? {} : { format: row.spec.format }),
      ...(contentLength === undefined ? {} : { contentLength }),
    };
    return deps.store.write(stemOf(batch.layout, key), body, expectation, () => deps.atFaultPoint('before-rename'));
  };
}
