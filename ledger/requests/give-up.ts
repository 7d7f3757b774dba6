import type { AttemptKey } from '../../contract/batch.ts';
import { applyEffect, effectOf } from '../rows/endings.ts';
import { findBlocking } from './intents.ts';
import type { Retake, RowEnding } from '../rows/row-effects.ts';
import type { RowStanding } from '../record-types.ts';
import { RowInHand } from '../rows/row-in-hand.ts';
import type { Db } from '../schema.ts';
import { write } from '../database/transactions.ts';

/**
 * Ends the open row of an attempt that is `unknown`, or that is due and cannot be made; or gives it a new take.
 * Changes no charge. No effect if the attempt is in flight or has another verdict, or the row is at another take.
 *
 * The caller may have stood still since it looked, and the attempt may have been made, answered or adopted meanwhile.
 * So the transaction that ends the row checks it again.
 */
export async function giveUp(db: Db, key: AttemptKey, effect: RowEnding | Retake): Promise<RowStanding> {
  return write(db, async (tx) => {
    const row = await RowInHand.take(tx, key);
    const blocking = findBlocking(row.chargesOf(key.step), key);
    const isOwn = blocking?.take === key.take && blocking.attempt === key.attempt;
    const isOver = blocking === undefined || (isOwn && blocking.state === 'unknown');
    if (isOver && row.isAt(key.take)) await applyEffect(row, effectOf(row, key.step, effect));
    return row.standing();
  });
}
