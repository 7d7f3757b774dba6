import type { Receive } from '../api/speech-api.ts';
import type { AttemptKey } from '../contract/batch.ts';
import { stemOf, type StoredFile } from '../store/store.ts';
import type { Dependencies } from './dependencies.ts';

/**
 * Takes a result body to the store: whole, checked and synced, or not at all.
 *
 * @param format what was asked for, where the request named it
 */
export function receiveMedia(
  deps: Pick<Dependencies, 'store' | 'witness'>,
  key: AttemptKey,
  family: 'audio' | 'video',
  format?: string,
): Receive<StoredFile> {
  return async (body, { contentLength, contentType }) => {
    const expectation = {
      family,
      contentType,
      ...(format === undefined ? {} : { format }),
      ...(contentLength === undefined ? {} : { contentLength }),
    };
    return deps.store.write(stemOf(key), body, expectation, () => deps.witness('before-rename'));
  };
}
