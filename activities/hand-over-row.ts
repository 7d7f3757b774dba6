import type { FencedAttempt } from '../contract/batch.ts';
import type { Dependencies } from './dependencies.ts';

/**
 * Hands over a row whose next step this worker does not do (`worker --only`). `isToFetch`: only its result is missing.
 * No effect if another lane has the row by now.
 */
export async function handOverRow(
  { ledger }: Pick<Dependencies, 'ledger'>,
  { batch, row, fence }: FencedAttempt,
  isToFetch: boolean,
): Promise<void> {
  if (fence !== undefined) await ledger.handOverRow({ batch, row, fence }, isToFetch);
}
