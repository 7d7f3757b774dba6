import type * as z from 'zod';
import { isoTime } from '../contract/times.ts';
import type { ChargeRecord } from '../ledger/requests/charge-records.ts';
import type { RowSnapshot } from '../ledger/rows/row-records.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { receiptSchema, type Receipt } from './receipt.ts';

/** What identifies the newest request of a batch. The summary has it, so that an older ledger can be recognised. */
export const newestRequestSchema = receiptSchema.pick({
  row: true,
  part: true,
  step: true,
  take: true,
  attempt: true,
  intent_at: true,
});

/** The newest request on a folder's receipts, as its summary records it. */
export type NewestRequest = z.infer<typeof newestRequestSchema>;

/** Finds the newest request among receipts. */
export class NewestRequestFinder {
  #newest: Receipt | undefined;

  add(receipts: readonly Receipt[]): void {
    for (const receipt of receipts) {
      const isMade = receipt.verdict !== 'cached' && receipt.verdict !== 'revoked';
      if (isMade && receipt.intent_at >= (this.#newest?.intent_at ?? '')) this.#newest = receipt;
    }
  }

  /** The newest request; null if none was made. */
  get found(): NewestRequest | null {
    return this.#newest === undefined ? null : newestRequestSchema.parse(this.#newest);
  }
}

/**
 * Returns whether the ledger has this very request. If not, the ledger is older than the receipts, because no record of
 * a request is ever removed. The time is compared, too: an older ledger may have made a request of the same number
 * again.
 */
export async function isNewestOnRecord(
  newest: NewestRequest,
  batch: string,
  ledger: Pick<Ledger, 'readRow'>,
): Promise<boolean> {
  const snapshot = await ledger.readRow(batch, newest.row);
  if (snapshot === undefined) return false;
  return attemptsOf(newest, snapshot).some(
    ({ attempt, intentAt }) => attempt === newest.attempt && isoTime(intentAt) === newest.intent_at,
  );
}

/** Returns the attempts on record for the row or part, step and take of a receipt. */
export function attemptsOf(
  { part, step, take }: Pick<Receipt, 'part' | 'step' | 'take'>,
  snapshot: RowSnapshot,
): readonly ChargeRecord[] {
  const number = rowNumberOf(part, snapshot);
  return snapshot.charges.filter((one) => one.row === number && one.step === step && one.take === take);
}

/** Returns the number of a row's part, or of the row itself. The ledger records parts as further rows, in sequence. */
export function rowNumberOf(part: number | undefined, { row, firstPart }: RowSnapshot): number {
  return part === undefined || firstPart === undefined ? row.row : firstPart + part - 1;
}
