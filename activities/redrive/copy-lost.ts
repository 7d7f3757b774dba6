import type { FencedAttempt } from '../../contract/batch.ts';
import type { RowStanding } from '../../ledger/record-types.ts';
import { isFetchedAgain } from '../../policy/rows/row-machine.ts';
import type { LoadedAttempt } from '../attempt.ts';
import type { Dependencies } from '../dependencies.ts';

/**
 * Gives an attempt whose stored file is lost the same file of an equal row, if the store has one: that is there even where
 * the API has forgotten the job. Returns the row's state; undefined if the attempt has lost no file, or no row has the same.
 */
export async function copyLost(
  { ledger, store }: Pick<Dependencies, 'ledger' | 'store'>,
  key: FencedAttempt,
  { charge }: Pick<LoadedAttempt, 'charge'>,
): Promise<RowStanding | undefined> {
  if (charge?.file == null || charge.resultKey === null || !isFetchedAgain(charge)) return undefined;
  const { sha256, extension, key: place } = charge.file;
  const stem = place.slice(0, -`.${extension}`.length);
  for (const { file } of await ledger.findResults([charge.resultKey])) {
    if (file.sha256 !== sha256) continue;
    const copy = await store.reuse(file, stem);
    if (copy.type === 'reused')
      return ledger.finishJob(key, { file: copy.file }, { outcome: 'succeeded', file: copy.file });
  }
  return undefined;
}
