import { inCredits } from '../terminal/money.ts';
import type { MoreRows } from '../../client/run/open-chosen.ts';
import type { Payer } from '../../client/person.ts';
import { budgetFor } from '../../policy/money/budget.ts';
import { approve } from '../../client/run/approval.ts';
import { spendError } from './spend-error.ts';
import type { Invocation } from '../invocation.ts';
import { leftBudgetRefusal } from '../redrive/redrive-words.ts';
import { number } from '../terminal/words.ts';
import { rowsInWords } from '../terminal/row-words.ts';

/**
 * Prints the price of rows that earlier runs of a batch left out and this one selects, and asks if needed. Changes
 * nothing. Throws {@link ExitError} `refused`; true otherwise.
 */
export async function checkMore(
  more: MoreRows,
  payer: Payer,
  { session, output, person }: Pick<Invocation, 'session' | 'output' | 'person'>,
): Promise<true> {
  const { batch, rows, dependents, bill, quoted, isEstimate, budget } = more;
  const unknown = bill.unpriced > 0 ? ` and the unknown price of ${rowsInWords(bill.unpriced)}` : '';
  const cost = `${isEstimate ? '~' : ''}${inCredits(bill.quoted)}${unknown}`;
  const basis = bill.quoted === quoted ? '' : ` at the prices charged so far (${number(quoted)} as quoted)`;
  const waiting = dependents === 0 ? '' : `, and ${rowsInWords(dependents)} that wait for their voices`;
  output.say(`${rowsInWords(rows)} more to send${waiting}, at a cost of ${cost}${basis}.`);
  const budgetNeeded = budgetFor(await (await session.ledger()).money(batch.name), bill.quoted);
  const facts = { rows: rows + dependents, bill, isEstimate, budget, budgetNeeded, isBudgetLeft: true, ...payer };
  const refused = await approve(facts, person);
  if (refused !== undefined) throw spendError(refused, leftBudgetRefusal(batch.name, true));
  return true;
}
