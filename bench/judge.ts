import type { LedgerEntry } from '../simulator/start-simulator.ts';

/** What a contestant reports about its rows at the end. */
export interface Account {
  /** Ids of rows whose result is in the folder. */
  readonly delivered: ReadonlySet<string>;
  /** Ids of rows that it reports itself as possibly charged, for a person to decide. */
  readonly unknown: ReadonlySet<string>;
  /** False if it was still at work when its time was up. */
  readonly isOver: boolean;
}

/** The score of a contestant. */
export interface Score {
  readonly name: string;
  readonly rows: number;
  readonly delivered: number;
  readonly unknown: number;
  /** Rows with neither a result nor a report; if it did not end, also the rows it had yet to do. */
  readonly lost: number;
  /** Paid requests that the API accepted, by its own ledger. */
  readonly charges: number;
  /** Paid requests beyond the first of a row. */
  readonly doubles: number;
  /** Credits for those. */
  readonly wasted: number;
  readonly seconds: number;
  readonly isOver: boolean;
}

/**
 * Scores a contestant by the API's ledger of charges and the result files, not by its own account of charges.
 *
 * @param seconds how long the contestant took
 */
export function judge(
  name: string,
  rows: readonly { readonly id: string }[],
  account: Account,
  charges: readonly LedgerEntry[],
  seconds: number,
): Score {
  const seen = new Set<string | undefined>();
  let doubles = 0;
  let wasted = 0;
  for (const { text, credits } of charges) {
    if (seen.has(text)) {
      doubles += 1;
      wasted += credits;
    }
    seen.add(text);
  }
  const delivered = rows.filter(({ id }) => account.delivered.has(id)).length;
  const unknown = rows.filter(({ id }) => !account.delivered.has(id) && account.unknown.has(id)).length;
  return {
    name,
    rows: rows.length,
    delivered,
    unknown,
    lost: rows.length - delivered - unknown,
    charges: charges.length,
    doubles,
    wasted,
    seconds,
    isOver: account.isOver,
  };
}
