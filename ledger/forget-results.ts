import type { AttemptKey } from '../contract/batch.ts';
import { checkedBy } from '../contract/row-kinds.ts';
import type { RowInHand } from './row-in-hand.ts';
import type { ChargeLine, Tx } from './schema.ts';
import { toCharge } from './records.ts';

/** Forgets a result: no later row uses it. */
export async function forgetResult(tx: Tx, { batch, row, step, take, attempt }: AttemptKey): Promise<void> {
  await tx
    .deleteFrom('results')
    .where('batch', '=', batch)
    .where('row', '=', row)
    .where('step', '=', step)
    .where('take', '=', take)
    .where('attempt', '=', attempt)
    .execute();
}

/**
 * Takes a result out of the cache that a check has found wrong: no later row shall use it. Does nothing for any other
 * attempt.
 */
export async function forgetUnfit(row: RowInHand, check: ChargeLine): Promise<void> {
  const checked = checkedBy(row.line.kind, check.step);
  if (checked === undefined || check.judgement === null || check.failure === null) return;
  const speech = row.chargesOf(checked).findLast(({ file, take }) => file !== null && take === check.from_take);
  if (speech === undefined) return;
  await forgetResult(row.tx, speech);
  const { source } = toCharge(speech);
  if (source?.is === 'used') await forgetResult(row.tx, source.from);
}
