import { defined } from '../contract/defined.ts';
import type { Receive } from '../api/speech-api.ts';
import type { AttemptKey } from '../contract/batch.ts';
import { OPERATION_FACTS } from '../contract/row-kinds.ts';
import { stemOf } from '../store/layout.ts';
import type { StoredFile } from '../store/store.ts';
import type { Dependencies } from './dependencies.ts';
import type { LoadedAttempt } from './load-attempt.ts';

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
