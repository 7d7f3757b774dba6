/** What tells the time of a ledger. Its database carries it, and each transaction on that. */
export interface Clock {
  /** ms since 1970. */
  readonly now: () => number;
}

/** Gives a database or a transaction its clock. */
export function withClock<T extends object>(database: T, { now }: Clock): T & Clock {
  return Object.assign(database, { now });
}
