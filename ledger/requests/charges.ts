import type { AttemptKey } from '../../contract/batch.ts';
import { isSending } from '../conditions.ts';
import { applyEffect, effectOf } from '../rows/endings.ts';
import { LedgerMisuse } from '../errors.ts';
import type { RowEnding, Retake } from '../rows/row-effects.ts';
import { type ChargeRecord, toCharge } from './charge-records.ts';
import type { RowSnapshot } from '../rows/row-records.ts';
import { RowInTransaction } from '../rows/row-in-transaction.ts';
import type { ChargeLine, Db } from '../schema.ts';
import { write } from '../database/transactions.ts';
import { findBlocking } from './intents.ts';

/** Reads the batch's attempts without a verdict. */
export async function sending(db: Db, batch: string): Promise<readonly ChargeRecord[]> {
  const lines = await db
    .selectFrom('charges')
    .selectAll()
    .where('batch', '=', batch)
    .where(isSending('charges'))
    .orderBy('row')
    .execute();
  return lines.map(toCharge);
}

/** Counts the accepted jobs of this API and account that have not ended, over all batches. */
export async function countRunning(db: Db, apiUrl: string, account: string): Promise<number> {
  const { n } = await db
    .selectFrom('sums')
    .innerJoin('batches', 'batches.name', 'sums.batch')
    .select((eb) => eb.fn.sum<number | null>('sums.running').as('n'))
    .where('batches.api_url', '=', apiUrl)
    .where('batches.account', '=', account)
    .executeTakeFirstOrThrow();
  return n ?? 0;
}

/** Returns the line of an attempt. Throws {@link LedgerMisuse} if there is none. */
export function requireCharge(row: RowInTransaction, key: AttemptKey): ChargeLine {
  const found = row.chargeAt(key);
  if (found === undefined) {
    throw new LedgerMisuse(
      `No intent is recorded for attempt ${key.attempt} of take ${key.take} of ${key.step}, row ${key.row} of "${key.batch}"; ` +
        'a verdict needs one.',
    );
  }
  return found;
}

/**
 * Ends an open row because its attempt is `unknown`, or its next attempt cannot be made; or gives the row a new take
 * (`effect`). Changes no charge. No effect if the attempt is in flight or has another verdict, or the row is at another
 * take: the caller may have stalled, and the attempt may have been made, answered or adopted meanwhile. Returns the
 * row.
 */
export async function giveUp(db: Db, key: AttemptKey, effect: RowEnding | Retake): Promise<RowSnapshot> {
  return write(db, async (tx) => {
    const row = await RowInTransaction.load(tx, key);
    const blocking = findBlocking(row.chargesOf(key.step), key);
    const isOwn = blocking?.take === key.take && blocking.attempt === key.attempt;
    const isOver = blocking === undefined || (isOwn && blocking.state === 'unknown');
    if (isOver && row.isAt(key.take)) await applyEffect(row, effectOf(row, key.step, effect));
    return row.snapshot();
  });
}
