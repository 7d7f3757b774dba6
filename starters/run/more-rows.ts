import { inCredits } from '../terminal/money.ts';
import type { MoreRows } from '../../client/run/open-chosen.ts';
import type { SpendFacts } from '../../policy/money/spend.ts';
import { checkSpend } from './check-spend.ts';
import type { Invocation } from '../invocation.ts';
import { leftBudgetRefusal } from '../redrive/redrive-words.ts';
import { number } from '../terminal/progress.ts';
import { rowsInWords } from '../terminal/row-words.ts';

/** The one who pays. */
export type Payer = Pick<SpendFacts, 'balance' | 'yes' | 'canAsk' | 'confirmAbove'>;

/**
 * Prints the price of rows that earlier runs of a batch left out and this one selects, and asks if needed. Changes
 * nothing. Throws {@link ExitError} `refused`; true otherwise.
 */
export async function checkMore(
  more: MoreRows,
  payer: Payer,
  { session, output }: Pick<Invocation, 'session' | 'output'>,
): Promise<true> {
  const { batch, rows, dependents, bill, quoted, isEstimate, budget } = more;
  const unknown = bill.unpriced > 0 ? ` and the unknown price of ${rowsInWords(bill.unpriced)}` : '';
  const cost = `${isEstimate ? '~' : ''}${inCredits(bill.quoted)}${unknown}`;
  const basis = bill.quoted === quoted ? '' : ` at the prices charged so far (${number(quoted)} as quoted)`;
  const waiting = dependents === 0 ? '' : `, and ${rowsInWords(dependents)} that wait for their voices`;
  output.say(`${rowsInWords(rows)} more to send${waiting}, at a cost of ${cost}${basis}.`);
  const refusal = leftBudgetRefusal(batch, await (await session.ledger()).money(batch.name), { budget });
  await checkSpend({ rows: rows + dependents, bill, isEstimate, budget, isBudgetLeft: true, ...payer }, output, {
    refusal,
  });
  return true;
}
