import type { FencedAttempt } from '../contract/batch.ts';
import type { Dependencies } from './dependencies.ts';

/**
 * Gives a row away that needs something next which this worker does not do (`worker --only`). `isToFetch`: only its
 * result is missing. A row that another has by now stays as it is.
 */
export async function release(
  { ledger }: Pick<Dependencies, 'ledger'>,
  { batch, row, fence }: FencedAttempt,
  isToFetch: boolean,
): Promise<void> {
  if (fence !== undefined) await ledger.releaseRow({ batch, row, fence }, isToFetch);
}
