/**
 * Whether a budget has room for a request. At each `room`, what was charged and all that is open, each at the worst that is known, fit into
 * the budget. So a batch can exceed it only by what the requests open at the last `room` are charged beyond that.
 */

/** What counts against a budget, in credits, without the request in question and what its row holds back. */
export interface Committed {
  /** Charged so far; a running job whose price nobody told counts with its quote. */
  readonly charged: number;
  /** Quotes of requests whose outcome is unknown. */
  readonly unknown: number;
  /** Quotes of requests on the wire, which may still turn out to be free. */
  readonly onTheWire: number;
  /** Quotes of what begun rows need for their later steps. */
  readonly promised: number;
  /** What open requests may be charged beyond that, at the worst that is known. */
  readonly beyond: {
    /** Of requests whose end is awaited: it may turn out to be less. */
    readonly awaited: number;
    /** Of those whose charge may never be known. */
    readonly lost: number;
    /** Of later steps of begun rows. */
    readonly promised: number;
  };
}

/** A request, and what its row needs after it. */
export interface Needs {
  /** In credits, at the worst that is known. */
  readonly credits: number;
  /** Its row has paid for something already, and must come to its end. */
  readonly isBegun: boolean;
}

/** `later`: it fits if what is open turns out to cost less than it may. */
export type Room = 'room' | 'later' | 'none';

/** Binary fractions must not make 0.1 + 0.2 exceed 0.3. */
export const DUST = 1e-6;

/** What is spent for good, as far as anybody knows now. */
export function settledOf({ charged, unknown, promised, beyond }: Committed): number {
  return charged + unknown + promised + beyond.lost;
}

export function roomFor(committed: Committed, { credits, isBegun }: Needs, budget: number): Room {
  const needs = settledOf(committed) + credits;
  if (needs > budget + DUST) return 'none';
  const { onTheWire, beyond } = committed;
  // A begun row does not wait for others' later steps: these may wait for its own.
  const open = onTheWire + beyond.awaited + (isBegun ? 0 : beyond.promised);
  return needs + open > budget + DUST ? 'later' : 'room';
}
