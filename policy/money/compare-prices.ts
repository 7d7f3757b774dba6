import { roundCredits, sumOfPrices } from '../../contract/price-units.ts';
import type { Operation } from '../../contract/row-kinds.ts';

/** Compares what the API charged so far with our quotes, and forecasts the cost of the remaining rows. */

/** Requests of an operation that the API has charged. Money is in credits. */
export interface MeasuredPrice {
  /** Requests with a quote. */
  readonly requests: number;
  /** Sum of their quotes. */
  readonly quoted: number;
  /** The API's charges for them. */
  readonly charged: number;
  /** Requests without a quote, and the API's charges for them. */
  readonly unquoted: { readonly requests: number; readonly charged: number };
}

/** Requests of an operation that are not sent yet. */
interface OpenRequests {
  /** Requests with a quote. */
  readonly requests: number;
  /** Sum of their quotes, in credits. */
  readonly quoted: number;
  /** Requests without one. */
  readonly unquoted: number;
}

/** An operation's measured and quoted prices. */
export interface ComparedPrice extends MeasuredPrice {
  readonly operation: Operation;
  /** `charged / quoted`; null without a quote and a charge to compare. */
  readonly factor: number | null;
  /** Requests still to be sent, and their cost, as quoted and at the measured price; null if unknown. */
  readonly rest: { readonly requests: number; readonly quoted: number | null; readonly expected: number | null };
}

/** Charges compared with quotes so far, and the resulting forecast for the remaining rows. Money is in credits. */
export interface PriceComparison {
  /** Operations paid for, or still to be paid for. */
  readonly operations: readonly ComparedPrice[];
  /** True if the API's prices differ from the quoted ones. */
  readonly differs: boolean;
  /** Cost of unsent requests, as quoted and at the measured prices; null if unknown. */
  readonly rest: { readonly quoted: number | null; readonly expected: number | null };
}

const NOTHING_MEASURED: MeasuredPrice = { requests: 0, quoted: 0, charged: 0, unquoted: { requests: 0, charged: 0 } };
const NOTHING_OPEN: OpenRequests = { requests: 0, quoted: 0, unquoted: 0 };

/** Adds up charged and open requests by operation. Keeps sums, not the requests. */
export class PriceTally {
  readonly #paid = new Map<Operation, MeasuredPrice>();
  readonly #open = new Map<Operation, OpenRequests>();

  /** Adds a charged request. `quoted`: null if it had no quote. */
  addPaid(operation: Operation, quoted: number | null, charged: number): void {
    const before = this.#paid.get(operation) ?? NOTHING_MEASURED;
    const sum = quoted === null ? before.unquoted : before;
    const more = { requests: sum.requests + 1, charged: roundCredits(sum.charged + charged) };
    this.#paid.set(
      operation,
      quoted === null
        ? { ...before, unquoted: more }
        : { ...before, ...more, quoted: roundCredits(before.quoted + quoted) },
    );
  }

  /** Adds a request that is not sent yet. `quoted`: null if it has no quote. */
  addOpen(operation: Operation, quoted: number | null): void {
    this.#open.set(operation, withRequest(this.#open.get(operation) ?? NOTHING_OPEN, quoted));
  }

  /** Forecasts the cost of a request at the prices measured so far, in credits; null if unknown. */
  expect(operation: Operation, quoted: number | null): number | null {
    return expectedCost(this.#paid.get(operation) ?? NOTHING_MEASURED, withRequest(NOTHING_OPEN, quoted));
  }

  /** Returns the comparison of everything added so far. */
  compare(): PriceComparison {
    const names = [...new Set([...this.#paid.keys(), ...this.#open.keys()])];
    const operations = names.map((operation): ComparedPrice => {
      const measured = this.#paid.get(operation) ?? NOTHING_MEASURED;
      const open = this.#open.get(operation) ?? NOTHING_OPEN;
      return {
        operation,
        ...measured,
        factor: measured.quoted > 0 ? measured.charged / measured.quoted : null,
        rest: {
          requests: open.requests + open.unquoted,
          quoted: open.unquoted > 0 ? null : open.quoted,
          expected: expectedCost(measured, open),
        },
      };
    });
    return {
      operations,
      differs: operations.some(({ quoted, charged }) => charged !== quoted),
      rest: {
        quoted: sumOfPrices(operations.map(({ rest }) => rest.quoted)),
        expected: sumOfPrices(operations.map(({ rest }) => rest.expected)),
      },
    };
  }
}

function withRequest(open: OpenRequests, quoted: number | null): OpenRequests {
  if (quoted === null) return { ...open, unquoted: open.unquoted + 1 };
  return { ...open, requests: open.requests + 1, quoted: roundCredits(open.quoted + quoted) };
}

/**
 * Forecasts the cost of open requests: their quotes, scaled by the measured ratio of charge to quote. If all measured
 * requests were quoted at 0, their average charge is added to each quote instead. A request without a quote costs as
 * much as the average measured request. Without any measured request, the quotes stand; null if one is missing.
 */
function expectedCost({ requests, quoted, charged, unquoted }: MeasuredPrice, open: OpenRequests): number | null {
  const all = requests + unquoted.requests;
  const average = all === 0 ? null : (charged + unquoted.charged) / all;
  if (open.unquoted > 0 && average === null) return null;
  const ofUnquoted = (average ?? 0) * open.unquoted;
  const averageOfQuoted = requests === 0 ? 0 : charged / requests;
  const ofQuoted = quoted > 0 ? (open.quoted * charged) / quoted : open.quoted + averageOfQuoted * open.requests;
  return roundCredits(ofQuoted + ofUnquoted);
}
