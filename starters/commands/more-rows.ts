import type { MoreRows } from '../../client/open-chosen.ts';
import type { Session } from '../../client/session.ts';
import type { SpendFacts } from '../../policy/spend.ts';
import { checkSpend } from '../check-spend.ts';
import { refusalFor } from '../redrive/redrive-rows.ts';
import { rowsInWords } from '../row-words.ts';
import type { Output } from '../terminal/output.ts';
import { number } from '../terminal/progress.ts';

/** Whoever pays. */
export type Payer = Pick<SpendFacts, 'balance' | 'yes' | 'canAsk' | 'confirmAbove'>;

/**
 * Says what the rows cost that earlier runs of a batch left out and this one chooses, and asks where that is due. Nothing is changed. Throws
 * {@link ExitError} `refused`; true otherwise.
 */
export async function checkMore(
  more: MoreRows,
  { session, output, ...payer }: Payer & { readonly session: Session; readonly output: Output },
): Promise<true> {
  const { batch, rows, bill, isEstimate, budget } = more;
  const unknown = bill.unpriced > 0 ? ` and the unknown price of ${rowsInWords(bill.unpriced)}` : '';
  const cost = `${isEstimate ? '~' : ''}${number(bill.quoted)} credits${unknown}`;
  output.say(`${rowsInWords(rows)} more to send, at a cost of ${cost}.`);
  const refusal = refusalFor(batch, await (await session.ledger()).money(batch.name));
  await checkSpend({ rows, bill, isEstimate, budget, isBudgetLeft: true, ...payer }, output, { refusal });
  return true;
}
