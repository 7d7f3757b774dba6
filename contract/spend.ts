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

/** What the priced rows can cost: a budget bounds it. Credits. */
export function mostSpent({ bill, budget }: Pick<SpendFacts, 'bill' | 'budget'>): number {
  return budget === null ? bill.quoted : Math.min(bill.quoted, budget);
}

/** Some rows, the first of them named. */
export interface NamedRows {
  readonly count: number;
  /** The first five. */
  readonly first: readonly { readonly line: number; readonly id: string; readonly why: string }[];
}
