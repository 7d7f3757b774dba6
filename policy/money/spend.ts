import { maxSpend, type SpendFacts, type SpendNote, type SpendRefusal } from '../../contract/spend.ts';

/** Whether a batch may start paying. `go`: yes; `ask`: once a person has confirmed the bill; `refuse`: no. */
export type SpendDecision = { readonly notes: readonly SpendNote[] } & (
  { readonly type: 'go' | 'ask' } | { readonly type: 'refuse'; readonly why: SpendRefusal }
);

/**
 * Decides whether a bill may be paid. Refused if it cannot keep its budget (a row without a price), if the budget or
 * balance does not cover even one row, or if nobody confirms a bill above the threshold. A budget or balance below the
 * bill is only noted: rows that do not fit end `skipped`, and a batch out of credits pauses.
 */
export function decideSpend(facts: SpendFacts): SpendDecision {
  const { budget, confirmAbove, bill, yes, canAsk } = facts;
  if (budget !== null && bill.unpriced > 0) return { type: 'refuse', why: 'unpriced', notes: [] };
  if (budget !== null && bill.cheapest !== null && bill.cheapest > budget) {
    return { type: 'refuse', why: 'small-budget', notes: [] };
  }
  if (paysNothing(facts)) return { type: 'refuse', why: 'small-balance', notes: [] };
  const notes = notesOn(facts);
  if (confirmAbove === null || (maxSpend(facts) <= confirmAbove && bill.unpriced === 0) || yes) {
    return { type: 'go', notes };
  }
  return canAsk ? { type: 'ask', notes } : { type: 'refuse', why: 'unconfirmed', notes };
}

/** Whether the account cannot pay for the cheapest row. If prices are unknown, any credit may suffice. */
function paysNothing({ balance, bill }: SpendFacts): boolean {
  if (balance === null) return false;
  const cheapest = bill.unpriced > 0 ? 0 : (bill.cheapest ?? 0);
  return balance < cheapest || (balance <= 0 && (bill.unpriced > 0 || cheapest > 0));
}

function notesOn(facts: SpendFacts): readonly SpendNote[] {
  const { rows, bill, budget, balance } = facts;
  const notes: SpendNote[] = [];
  if (budget !== null && bill.affordable !== null && bill.affordable.rows < rows) notes.push('budget-pays-part');
  if (balance !== null && maxSpend(facts) > balance) notes.push('above-balance');
  return notes;
}
