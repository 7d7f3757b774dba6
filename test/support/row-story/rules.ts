import type { RowAttempt } from '../../../contract/batch.ts';
import type { Failure, FailureClass } from '../../../contract/failures.ts';
import type { UnknownPolicy } from '../../../contract/outcomes.ts';
import type { Kind } from '../../../contract/row-kinds.ts';

/** Credits of each request; the API of a story charges what is quoted. */
export const PRICE = 2;

/** How a story's batch is set. */
export interface Rules {
  readonly kinds: readonly Kind[];
  readonly onUnknown: UnknownPolicy;
  readonly retakes: number;
  /** Credits; null: without a bound. */
  readonly budget: number | null;
  /** Whether the speech of its rows is verified, and stored files may be lost. Default false. */
  readonly verified?: boolean;
}

/** What decides the steps of a row of such a batch. */
export function choiceOf({ verified = false }: Rules, kind: Kind): { readonly kind: Kind; readonly verify?: number } {
  return verified ? { kind, verify: 0.25 } : { kind };
}

/** How often a story came by what it is about. */
export interface Seen {
  sends: number;
  /** Requests whose answer was lost. */
  lost: number;
  newTakes: number;
  /** Answers that came when the request was given up. */
  late: number;
  /** Requests that the budget did not allow. */
  skipped: number;
  /** Unfit results that a person took. */
  accepted: number;
  /** Verifications that found fault. */
  faults: number;
  /** Stored files that were lost, and read again for nothing. */
  fetched: number;
}

export const NOTHING_SEEN: Seen = {
  sends: 0,
  lost: 0,
  newTakes: 0,
  late: 0,
  skipped: 0,
  accepted: 0,
  faults: 0,
  fetched: 0,
};

export function failureOf(name: FailureClass): Failure {
  return { class: name, message: name };
}

/** Names an attempt, and the job that it makes. */
export function nameOf({ row, step, take, attempt }: RowAttempt): string {
  return `${row}-${step}-${take}-${attempt}`;
}

export function isSame(one: RowAttempt, other: RowAttempt): boolean {
  return nameOf(one) === nameOf(other);
}
