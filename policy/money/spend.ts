/** What rows will cost, in credits: the part that decides whether they may be paid for. */
export interface SpendBill {
  /** Sum of the prices that are known. */
  readonly quoted: number;
  /** Rows whose price cannot be known. */
  readonly unpriced: number;
  /** The smallest price of a row; null if no row has one. */
  readonly cheapest: number | null;
  /** What the budget pays; null without a budget. */
  readonly affordable: { readonly rows: number; readonly quoted: number } | null;
}

/** What is known before anything is paid. Money is in credits. */
export interface SpendFacts {
  readonly rows: number;
  readonly bill: SpendBill;
  /** Part of the bill is estimated. */
  readonly isEstimate: boolean;
  readonly budget: number | null;
  /** The account's balance; null if the API does not tell it. */
  readonly balance: number | null;
  /** A bill above this must be confirmed; null: no bill must. */
  readonly confirmAbove: number | null;
  /** It is confirmed already (`--yes`). */
  readonly yes: boolean;
  /** Somebody is there to be asked. */
  readonly canAsk: boolean;
}

/**
 * Why nothing may be spent. `unpriced`: a row has no price, and a budget needs one. `small-budget`, `small-balance`: it pays not even
 * one row. `unconfirmed`: the bill is above the threshold, and nobody can be asked.
 */
export type SpendRefusal = 'unpriced' | 'small-budget' | 'small-balance' | 'unconfirmed';

/**
 * What a person should know of a bill, though it does not stop the batch: the budget pays only some of the rows, or the balance
 * is below the bill.
 */
export type SpendNote = 'budget-pays-part' | 'above-balance';

/** Whether rows may be paid for. `ask`: after a person has confirmed the bill. */
export type SpendDecision = { readonly notes: readonly SpendNote[] } & (
  { readonly type: 'go' | 'ask' } | { readonly type: 'refuse'; readonly why: SpendRefusal }
);

/**
 * Decides whether a bill may be paid. It is refused where it cannot keep its budget (a row without a price), where budget
 * or balance pay not even one row, and where nobody confirms a bill above the threshold. A budget or a balance below the
 * bill is noted and is no reason not to start: what does not fit ends `skipped`; out of credits the batch pauses.
 */
export function decideSpend(facts: SpendFacts): SpendDecision {
  const { budget, confirmAbove, bill, yes, canAsk } = facts;
  if (budget !== null && bill.unpriced > 0) return { type: 'refuse', why: 'unpriced', notes: [] };
  if (budget !== null && bill.cheapest !== null && bill.cheapest > budget) {
    return { type: 'refuse', why: 'small-budget', notes: [] };
  }
  if (paysNothing(facts)) return { type: 'refuse', why: 'small-balance', notes: [] };
  const notes = notesOn(facts);
  if (confirmAbove === null || (mostSpent(facts) <= confirmAbove && bill.unpriced === 0) || yes) {
    return { type: 'go', notes };
  }
  return canAsk ? { type: 'ask', notes } : { type: 'refuse', why: 'unconfirmed', notes };
}

/** What the priced rows can cost: a budget bounds it. Credits. */
export function mostSpent({ bill, budget }: Pick<SpendFacts, 'bill' | 'budget'>): number {
  return budget === null ? bill.quoted : Math.min(bill.quoted, budget);
}

/** True if the account cannot pay the cheapest row. Where prices are unknown, any credit may do. */
function paysNothing({ balance, bill }: SpendFacts): boolean {
  if (balance === null) return false;
  const least = bill.unpriced > 0 ? 0 : (bill.cheapest ?? 0);
  return balance < least || (balance <= 0 && (bill.unpriced > 0 || least > 0));
}

function notesOn(facts: SpendFacts): readonly SpendNote[] {
  const { rows, bill, budget, balance } = facts;
  const notes: SpendNote[] = [];
  if (budget !== null && bill.affordable !== null && bill.affordable.rows < rows) notes.push('budget-pays-part');
  if (balance !== null && mostSpent(facts) > balance) notes.push('above-balance');
  return notes;
}
