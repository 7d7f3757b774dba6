import type { ExitName } from './exit-codes.ts';

/** All that the rest of the code needs to know of an outcome; its words are in `starters/terminal/outcomes/`. */
interface OutcomeFacts {
  /** Whether such a row has the result that was asked for. */
  readonly hasResult: boolean;
  /** Whether such a row must have a file below `media/`. */
  readonly hasFile: boolean;
  /** Whether such a row says why it has no result. */
  readonly hasReason: boolean;
  /** Whether such rows also get a table of their own in the out folder, `<outcome>.csv`. */
  readonly hasTable: boolean;
  /** The exit code of a batch that has ended with such rows; `policy/exit-of.ts` says which one wins. */
  readonly exit: ExitName;
  /**
   * What such a row says of how the batch goes, for `--halt`. `late`: it was tried and did not succeed, but it is no failure yet; the first rows
   * may all be so for one reason. `nothing`: it was not tried.
   */
  readonly counts: 'success' | 'failure' | 'late' | 'nothing';
}

/**
 * How a row ends. Every row ends in exactly one of these. `unfit`: paid and kept, but it did not pass a check. `skipped`: never sent,
 * because the budget did not allow it, or because nobody asked for it so far.
 */
export const OUTCOME_FACTS = {
  succeeded: { hasResult: true, hasFile: true, hasReason: false, hasTable: false, exit: 'complete', counts: 'success' },
  cached: { hasResult: true, hasFile: true, hasReason: false, hasTable: false, exit: 'complete', counts: 'success' },
  failed: { hasResult: false, hasFile: false, hasReason: true, hasTable: true, exit: 'failures', counts: 'failure' },
  unfit: { hasResult: false, hasFile: true, hasReason: true, hasTable: true, exit: 'quality', counts: 'failure' },
  skipped: {
    hasResult: false,
    hasFile: false,
    hasReason: true,
    hasTable: true,
    exit: 'outOfCredits',
    counts: 'nothing',
  },
  unknown: { hasResult: false, hasFile: false, hasReason: true, hasTable: true, exit: 'unknown', counts: 'failure' },
  overdue: { hasResult: false, hasFile: false, hasReason: true, hasTable: true, exit: 'unknown', counts: 'late' },
  cancelled: {
    hasResult: false,
    hasFile: false,
    hasReason: false,
    hasTable: true,
    exit: 'failures',
    counts: 'nothing',
  },
} as const satisfies Readonly<Record<string, OutcomeFacts>>;
export type Outcome = keyof typeof OUTCOME_FACTS;

/** In the order in which people are told of them. */
export const OUTCOMES = Object.keys(OUTCOME_FACTS) as unknown as readonly [Outcome, ...Outcome[]];

/** Outcomes of which this holds. */
export function outcomesThat(holds: (facts: OutcomeFacts) => boolean): readonly Outcome[] {
  return OUTCOMES.filter((outcome) => holds(OUTCOME_FACTS[outcome]));
}

/** Outcomes of rows that have the result that was asked for. */
export const RESULT_OUTCOMES = outcomesThat((facts) => facts.hasResult);

/** Whether a row with this outcome has the result that was asked for. Null: it has not ended. */
export function hasResult(outcome: string | null): boolean {
  return (RESULT_OUTCOMES as readonly (string | null)[]).includes(outcome);
}

/** Where a row is that has not ended. */
export const ROW_STATES = ['waiting', 'submitting', 'processing', 'fetching', 'verifying'] as const;
export type RowState = (typeof ROW_STATES)[number];

/**
 * What is known about one attempt (one paid request).
 *
 * - `sending`: the intent is on record; the request may or may not have gone out.
 * - `accepted`: the API took it and named a job.
 * - `done`: the API answered with the result itself.
 * - `not-accepted`: certainly not taken; the next attempt may be made.
 * - `rejected`: the API refused it for good; nothing was charged.
 * - `unknown`: it may have been taken and charged; nothing is sent again.
 * - `revoked`: settled before anything was sent; whoever comes late with this key must not send.
 */
export const ATTEMPT_STATES = [
  'sending',
  'accepted',
  'done',
  'not-accepted',
  'rejected',
  'unknown',
  'revoked',
] as const;
export type AttemptState = (typeof ATTEMPT_STATES)[number];

/** States of attempts that the API took, for which it may charge. */
export const ACCEPTED_STATES = ['accepted', 'done'] as const satisfies readonly AttemptState[];

/** Whether the API took the attempt: it named a job, or answered with the result itself. */
export function wasAccepted(state: AttemptState): boolean {
  return (ACCEPTED_STATES as readonly AttemptState[]).includes(state);
}

/** Every attempt state but `sending`. */
export type VerdictName = Exclude<AttemptState, 'sending'>;

/**
 * What becomes of a row whose answer was lost for good. `hold`: it ends `unknown`, and a person decides. `resubmit`: it is sent
 * again as a new take, which may be a second charge. `fail`: it ends `failed`. Never applied to a row that has a job id.
 */
export const UNKNOWN_POLICIES = ['hold', 'resubmit', 'fail'] as const;
export type UnknownPolicy = (typeof UNKNOWN_POLICIES)[number];

/**
 * Why a row was given a new take. `redrive`, `edited`, `resubmitted`: a person asked for it (with other input; although the answer
 * of the one before was lost). `retake`: `--retakes`, after a job that failed. `on-unknown`: `--on-unknown resubmit`.
 */
export const TAKE_REASONS = ['redrive', 'edited', 'resubmitted', 'retake', 'on-unknown'] as const;
export type TakeReason = (typeof TAKE_REASONS)[number];

/** What a user lets a batch do. `stopping`: no new paid requests; what runs is still fetched; the rest is cancelled. */
export const CONTROLS = ['running', 'paused', 'stopping'] as const;
export type Control = (typeof CONTROLS)[number];
