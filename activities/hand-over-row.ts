import type { FencedAttempt } from '../contract/batch.ts';
import type { Dependencies } from './dependencies.ts';

/**
 * Releases a row whose next step is not this worker's duty (`worker --only`), so that a worker of the other duty claims
 * it. `isToFetch`: only the download of its result is missing. No effect if another lane holds the row by now.
 */
export async function handOverRow(
  { ledger }: Pick<Dependencies, 'ledger'>,
  { batch, row, fence }: FencedAttempt,
  { isToFetch }: { readonly isToFetch: boolean },
): Promise<void> {
  if (fence !== undefined) await ledger.handOverRow({ batch, row, fence }, isToFetch);
}
