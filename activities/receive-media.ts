import { Readable } from 'node:stream';
import type { MediaBody, Receive } from '../api/speech-api.ts';
import type { AttemptKey } from '../contract/batch.ts';
import { stemOf, type StoredFile } from '../store/store.ts';
import type { Dependencies, Witness } from './dependencies.ts';

/** Takes a result body to the store: whole, checked and synced, or not at all. */
export function receiveMedia(
  deps: Pick<Dependencies, 'store' | 'witness'>,
  key: AttemptKey,
  family: 'audio' | 'video',
): Receive<StoredFile> {
  return (body, { contentLength, contentType }) =>
    deps.store.write(stemOf(key), Readable.from(witnessed(body, deps.witness), { objectMode: false }), {
      family,
      contentType,
      ...(contentLength === undefined ? {} : { contentLength }),
    });
}

/** The body, and a moment after its last byte, when nothing is under the final name yet. */
async function* witnessed(body: MediaBody, witness: Witness): AsyncGenerator<Buffer> {
  if (Buffer.isBuffer(body)) yield body;
  else for await (const chunk of body) yield chunk as Buffer;
  await witness('before-rename');
}
