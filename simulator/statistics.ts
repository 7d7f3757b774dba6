import type { Operation } from '../contract/row-kinds.ts';
import type { Fault, FaultPoint } from './fault-plan.ts';

/** Max paid requests with recorded arrival times. */
const KEPT_CREATES = 20_000;

/** The content of `/__simulator/stats`. */
export interface StatisticsReport {
  /** Requests by route and status; `none` if the socket closed before any answer. */
  readonly endpoints: Readonly<Record<string, Readonly<Record<string, number>>>>;
  /** Requests at the media origin with an `Authorization` header. The token must never go there. */
  readonly foreignAuthorizations: number;
  /** Reads of existing jobs by id, while they ran and when they had ended. */
  readonly jobReads: { readonly running: number; readonly ended: number };
  /** Well-formed paid requests, accepted or not. */
  readonly paidRequests: number;
  /** Arrival times of the latest 20,000 of them, in ms since 1970. */
  readonly creates: readonly { readonly at: number; readonly operation: Operation }[];
  /** Triggered faults, by point and kind: `create status 429`, `download cut`. */
  readonly faults: Readonly<Record<string, number>>;
}

/** Returns the name under which a fault is counted. */
export function nameOfFault(on: FaultPoint, fault: Fault): string {
  const name = `${on} ${fault.kind}`;
  if (fault.kind === 'status') return `${name} ${String(fault.status)}`;
  return fault.kind === 'wrong-type' ? `${name} ${fault.body}` : name;
}

/** Counts requests and answers. */
export class Statistics {
  readonly #endpoints: Record<string, Record<string, number>> = {};
  #foreignAuthorizations = 0;
  readonly #jobReads = { running: 0, ended: 0 };
  #paidRequests = 0;
  readonly #creates: { at: number; operation: Operation }[] = [];
  readonly #faults: Record<string, number> = {};

  countAnswer(route: string, status: number | 'none'): void {
    const counts = (this.#endpoints[route] ??= {});
    counts[status] = (counts[status] ?? 0) + 1;
  }

  countForeignAuthorization(): void {
    this.#foreignAuthorizations += 1;
  }

  countJobRead(isRunning: boolean): void {
    this.#jobReads[isRunning ? 'running' : 'ended'] += 1;
  }

  countPaidRequest(operation: Operation): void {
    this.#paidRequests += 1;
    this.#creates.push({ at: Date.now(), operation });
    if (this.#creates.length >= 2 * KEPT_CREATES) this.#creates.splice(0, KEPT_CREATES);
  }

  countFault(on: FaultPoint, fault: Fault): void {
    const name = nameOfFault(on, fault);
    this.#faults[name] = (this.#faults[name] ?? 0) + 1;
  }

  report(): StatisticsReport {
    return {
      endpoints: this.#endpoints,
      foreignAuthorizations: this.#foreignAuthorizations,
      jobReads: { ...this.#jobReads },
      paidRequests: this.#paidRequests,
      creates: this.#creates.slice(-KEPT_CREATES),
      faults: { ...this.#faults },
    };
  }
}
