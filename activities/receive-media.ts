import { Transform } from 'node:stream';
import type { Receive } from '../api/speech-api.ts';
import type { AttemptKey } from '../contract/batch.ts';
import { stemOf, type StoredFile } from '../store/store.ts';
import type { Dependencies } from './dependencies.ts';

/** Takes a result body to the store: whole, checked and synced, or not at all. */
export function receiveMedia(
  deps: Pick<Dependencies, 'store' | 'witness'>,
  key: AttemptKey,
  family: 'audio' | 'video',
): Receive<StoredFile> {
  return async (body, { contentLength, contentType }) => {
    // The last byte has come and nothing is under the final name yet.
    const lastByte = new Transform({
      transform: (chunk, _encoding, done) => {
        done(null, chunk);
      },
      flush: (done) => {
        Promise.resolve(deps.witness('before-rename')).then(() => {
          done();
        }, done);
      },
    });
    body.on('error', (error) => lastByte.destroy(error));
    lastByte.on('close', () => body.destroy());
    return deps.store.write(stemOf(key), body.pipe(lastByte), {
      family,
      contentType,
      ...(contentLength === undefined ? {} : { contentLength }),
    });
  };
}
