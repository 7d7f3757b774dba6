import { isoTime } from '../contract/times.ts';
import type * as z from 'zod';
import type { ChargeRecord } from '../ledger/requests/charge-records.ts';
import type { RowSnapshot } from '../ledger/rows/row-records.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { receiptSchema, type Receipt } from './receipt.ts';

export const newestRequestSchema = receiptSchema.pick({
  row: true,
  part: true,
  step: true,
  take: true,
  attempt: true,
  intent_at: true,
});

/** The newest request of a folder's receipts. */
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

  /** Null if none was made. */
  get found(): NewestRequest | null {
    return this.#newest === undefined ? null : newestRequestSchema.parse(this.#newest);
  }
}

/**
 * Whether the ledger has this very request. If not, it is older than the receipts: a ledger that is set back lacks the
 * newest requests, and no record of one is ever removed. A request that was made again has another time.
 */
export async function isNewestOnRecord(
  newest: NewestRequest,
  batch: string,
  ledger: Pick<Ledger, 'readRow'>,
): Promise<boolean> {
  const standing = await ledger.readRow(batch, newest.row);
  if (standing === undefined) return false;
  return attemptsOf(newest, standing).some(
    ({ attempt, intentAt }) => attempt === newest.attempt && isoTime(intentAt) === newest.intent_at,
  );
}

/** The attempts on record for the step and take of a receipt. */
export function attemptsOf(
  { part, step, take }: Pick<Receipt, 'part' | 'step' | 'take'>,
  { row, charges, firstPart }: RowSnapshot,
): readonly ChargeRecord[] {
  const number = part === undefined || firstPart === undefined ? row.row : firstPart + part - 1;
  return charges.filter((one) => one.row === number && one.step === step && one.take === take);
}
