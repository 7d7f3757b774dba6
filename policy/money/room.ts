/**
 * Decides whether a budget has room for another request. The ledger asks in the transaction that records the intent, so
 * concurrent requests cannot share the same room. A request fits if past charges and all open requests, at their worst
 * known ratios of charge to quote (`charge-ratio.ts`), leave enough. So a batch can exceed its budget only if open
 * requests are charged more than at those ratios.
 */

/** Credits that count against a budget, without the request in question and its row's reservation. */
export interface Committed {
  /** Charged so far; a running job without a reported price counts at its quote. */
  readonly charged: number;
  /** Quotes of requests whose answer is lost: they count in full, because they may have been charged. */
  readonly unknown: number;
  /** Quotes of requests in flight, which may still turn out to be free. */
  readonly onTheWire: number;
  /** Quotes of the later steps of rows already begun. */
  readonly promised: number;
  /** Possible charges above those quotes, at the worst known ratios. */
  readonly beyond: {
    /** For requests whose end is awaited, which may turn out cheaper. */
    readonly awaited: number;
    /** For the requests of `unknown`. */
    readonly lost: number;
    /** For later steps of rows already begun. */
    readonly promised: number;
  };
}

/** The needs of a request and the later steps of its row. */
export interface Needs {
  /** In credits, at the worst known ratio. */
  readonly credits: number;
  /** True if its row has already paid for something, and so should be completed. */
  readonly isBegun: boolean;
}

/**
 * Whether a request fits. `room`: it fits now. `later`: it fits if open requests turn out cheaper than their worst
 * case. `none`: it cannot fit.
 */
export type Room = 'room' | 'later' | 'none';

/** Tolerance for binary fractions, credits: 0.1 + 0.2 must not exceed 0.3. */
export const DUST = 1e-6;

/**
 * Returns the credits that no open request can free again: charges, lost requests at their worst ratio, and the later
 * steps of begun rows, whose quotes are kept for them.
 */
export function settledOf({ charged, unknown, promised, beyond }: Committed): number {
  return charged + unknown + promised + beyond.lost;
}

/** Decides whether a request fits into a budget, in credits. */
export function roomFor(committed: Committed, { credits, isBegun }: Needs, budget: number): Room {
  const total = settledOf(committed) + credits;
  if (total > budget + DUST) return 'none';
  const { onTheWire, beyond } = committed;
  // Possible extra charges of others' later steps do not hold up a begun row: begun rows would wait for each other.
  const open = onTheWire + beyond.awaited + (isBegun ? 0 : beyond.promised);
  return total + open > budget + DUST ? 'later' : 'room';
}
