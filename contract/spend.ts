/**
 * The spending check before a batch starts: its input, and the reasons to refuse or warn. `policy/money/spend.ts`
 * decides; starters put the reasons into words.
 */

/** The part of a bill that decides whether its rows may be paid for, in credits. */
export interface SpendBill {
  /** Sum of the known prices. */
  readonly quoted: number;
  /** Rows whose price cannot be known. */
  readonly unpriced: number;
  /** The lowest price of any row; null if no price is known. */
  readonly cheapest: number | null;
  /** The rows that the budget covers; null without a budget. */
  readonly affordable: { readonly rows: number; readonly quoted: number } | null;
}

/** The facts known before anything is paid. Amounts are in credits. */
export interface SpendFacts {
  /** Rows to pay for, without those that earlier results answer. */
  readonly rows: number;
  readonly bill: SpendBill;
  /** Whether any price in the bill is an estimate. */
  readonly isEstimate: boolean;
  /** Null without a budget. */
  readonly budget: number | null;
  /** The account's balance; null if the API does not report it. */
  readonly balance: number | null;
  /** A bill above this must be confirmed; null if none must. */
  readonly confirmAbove: number | null;
  /** Confirmed in advance (`--yes`). */
  readonly yes: boolean;
  /** Whether the user can be prompted. */
  readonly canAsk: boolean;
}

/**
 * Why nothing may be spent. `unpriced`: a row has no price, and a budget needs one. `small-budget`, `small-balance`: it
 * does not cover a single row. `unconfirmed`: the bill exceeds the threshold and the user cannot be prompted.
 */
export type SpendRefusal = 'unpriced' | 'small-budget' | 'small-balance' | 'unconfirmed';

/** Warnings that do not stop the batch: the budget covers only some rows, or the bill exceeds the balance. */
export type SpendNote = 'budget-pays-part' | 'above-balance';

/** Returns the max cost of the priced rows in credits, capped by the budget. */
export function maxSpend({ bill, budget }: Pick<SpendFacts, 'bill' | 'budget'>): number {
  return budget === null ? bill.quoted : Math.min(bill.quoted, budget);
}

/** A number of rows, with the first five as examples. */
export interface NamedRows {
  readonly count: number;
  /** At most five. */
  readonly first: readonly { readonly line: number; readonly id: string; readonly why: string }[];
}
