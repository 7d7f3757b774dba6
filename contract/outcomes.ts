import type { ExitName } from './exit-codes.ts';

/** The vocabulary of rows and requests: outcomes, states, verdicts, and what the user lets a batch do. */

/** Everything that other code needs to know about an outcome. `starters/terminal/summary-words.ts` has its wording. */
interface OutcomeFacts {
  /** Whether such a row has the requested result. */
  readonly hasResult: boolean;
  /** Whether such a row must have a file in `media/`. */
  readonly hasFile: boolean;
  /** Whether such a row says why it has no result. */
  readonly hasReason: boolean;
  /** Whether the out folder has a table of only such rows, `<outcome>.csv`. */
  readonly hasTable: boolean;
  /** The exit code of a batch that ended with such rows; `policy/exit-of.ts` ranks them. */
  readonly exit: ExitName;
  /** Whether a person should look at such a row: logs warn of it, and a report always lists it. */
  readonly needsAttention: boolean;
  /** Whether such a row was left unsent on purpose, so it says nothing about the API. */
  readonly isLeftOut: boolean;
  /**
   * How `--halt` counts such a row. `late`: it was tried, and has neither succeeded nor failed. `nothing`: no request
   * was made, so it does not count.
   */
  readonly counts: 'success' | 'failure' | 'late' | 'nothing';
  /** Rank of badness, higher is worse: a row that was split into parts ends like its worst part. */
  readonly severity: number;
}

/**
 * How a row ends; each row ends in exactly one of these. `cached`: an earlier, equal row's result was used. `unfit`:
 * paid and kept, but it did not pass a check. `skipped`: never sent, because the budget did not allow it or nobody has
 * requested it yet.
 */
export const OUTCOME_FACTS = {
  succeeded: {
    hasResult: true,
    hasFile: true,
    hasReason: false,
    hasTable: false,
    needsAttention: false,
    isLeftOut: false,
    exit: 'complete',
    counts: 'success',
    severity: 0,
  },
  cached: {
    hasResult: true,
    hasFile: true,
    hasReason: false,
    hasTable: false,
    needsAttention: false,
    isLeftOut: false,
    exit: 'complete',
    counts: 'nothing',
    severity: 0,
  },
  failed: {
    hasResult: false,
    hasFile: false,
    hasReason: true,
    hasTable: true,
    needsAttention: true,
    isLeftOut: false,
    exit: 'failures',
    counts: 'failure',
    severity: 4,
  },
  unfit: {
    hasResult: false,
    hasFile: true,
    hasReason: true,
    hasTable: true,
    needsAttention: true,
    isLeftOut: false,
    exit: 'unfit',
    counts: 'failure',
    severity: 3,
  },
  skipped: {
    hasResult: false,
    hasFile: false,
    hasReason: true,
    hasTable: true,
    needsAttention: false,
    isLeftOut: true,
    exit: 'skipped',
    counts: 'nothing',
    severity: 2,
  },
  unknown: {
    hasResult: false,
    hasFile: false,
    hasReason: true,
    hasTable: true,
    needsAttention: true,
    isLeftOut: false,
    exit: 'unknown',
    counts: 'failure',
    severity: 6,
  },
  overdue: {
    hasResult: false,
    hasFile: false,
    hasReason: true,
    hasTable: true,
    needsAttention: true,
    isLeftOut: false,
    exit: 'unknown',
    counts: 'late',
    severity: 5,
  },
  cancelled: {
    hasResult: false,
    hasFile: false,
    hasReason: false,
    hasTable: true,
    needsAttention: false,
    isLeftOut: true,
    exit: 'failures',
    counts: 'nothing',
    severity: 1,
  },
} as const satisfies Readonly<Record<string, OutcomeFacts>>;
/** How a row ended. */
export type Outcome = keyof typeof OUTCOME_FACTS;

/** In display order. */
export const OUTCOMES = Object.keys(OUTCOME_FACTS) as unknown as readonly [Outcome, ...Outcome[]];

/** Returns the outcomes whose facts satisfy the predicate. */
export function outcomesThat(holds: (facts: OutcomeFacts) => boolean): readonly Outcome[] {
  return OUTCOMES.filter((outcome) => holds(OUTCOME_FACTS[outcome]));
}

/** Outcomes of rows that have the requested result. */
export const RESULT_OUTCOMES = outcomesThat((facts) => facts.hasResult);

/** Whether a row with this outcome has the requested result. `outcome`: null while the row has not ended. */
export function hasResult(outcome: string | null): boolean {
  return (RESULT_OUTCOMES as readonly (string | null)[]).includes(outcome);
}

/** Outcomes of rows that were left unsent on purpose, by a budget, a choice of rows or a stop. */
export const LEFT_OUT_OUTCOMES = outcomesThat((facts) => facts.isLeftOut);

/** Whether a row with this outcome was left unsent on purpose. `outcome`: null while the row has not ended. */
export function isLeftOut(outcome: string | null): boolean {
  return (LEFT_OUT_OUTCOMES as readonly (string | null)[]).includes(outcome);
}

const ATTENTION_OUTCOMES: readonly (string | null)[] = outcomesThat((facts) => facts.needsAttention);

/** Whether a person should look at a row with this outcome. `outcome`: null while the row has not ended. */
export function needsAttention(outcome: string | null): boolean {
  return ATTENTION_OUTCOMES.includes(outcome);
}

/**
 * States of a row that has not ended. `blocked`: it cannot be claimed, because it waits for a voice that another row
 * creates or that is in training, or for the parts into which its text was split.
 */
export const ROW_STATES = ['blocked', 'waiting', 'submitting', 'processing', 'fetching', 'verifying'] as const;
/** What is being done for a row without an outcome. */
export type RowState = (typeof ROW_STATES)[number];

/**
 * What the ledger knows about one attempt (one paid request).
 *
 * - `sending`: the intent is on record; the request may or may not have gone out.
 * - `accepted`: the API accepted it and named a job.
 * - `done`: the API answered with the result itself.
 * - `not-accepted`: certainly not accepted; the next attempt may be made.
 * - `rejected`: the API refused it for good; nothing was charged.
 * - `unknown`: it may have been accepted and charged; it is not sent again.
 * - `revoked`: withdrawn before it was sent; a delayed worker must not send it any more.
 * - `cached`: nothing was sent; the result of an earlier, equal request was used.
 */
export const ATTEMPT_STATES = [
  'sending',
  'accepted',
  'done',
  'not-accepted',
  'rejected',
  'unknown',
  'revoked',
  'cached',
] as const;
/** Where one paid request stands. */
export type AttemptState = (typeof ATTEMPT_STATES)[number];

/** States of attempts that the API accepted, and may charge for. */
export const ACCEPTED_STATES = ['accepted', 'done'] as const satisfies readonly AttemptState[];

/** Whether the API accepted the attempt: it named a job, or answered with the result itself. */
export function wasAccepted(state: AttemptState): boolean {
  return (ACCEPTED_STATES as readonly AttemptState[]).includes(state);
}

/** States of attempts that are never charged. */
const FREE_STATES: readonly AttemptState[] = ['not-accepted', 'rejected', 'revoked', 'cached'];

/** Whether the attempt was charged, or may have been. */
export function mayBeCharged(state: AttemptState): boolean {
  return !FREE_STATES.includes(state);
}

/** Possible verdicts on a request that may have been sent. */
export type VerdictName = Exclude<AttemptState, 'sending' | 'cached'>;

/**
 * How to handle a row whose answer is lost for good. `hold`: it ends `unknown`, and the user decides. `resubmit`: it is
 * sent again as a new take, which may charge twice. `fail`: it ends `failed`. Never applied to a row that has a job id.
 */
export const UNKNOWN_POLICIES = ['hold', 'resubmit', 'fail'] as const;
/** A value of `--on-unknown`. */
export type UnknownPolicy = (typeof UNKNOWN_POLICIES)[number];

/**
 * Why a row got a new take. `redrive`, `edited`, `resubmitted`: the user asked for it (unchanged; with edited input;
 * despite a lost answer). `retake`: `--retakes`, after a failed job or a result that failed a check. `on-unknown`:
 * `--on-unknown resubmit`.
 */
export const TAKE_REASONS = ['redrive', 'edited', 'resubmitted', 'retake', 'on-unknown'] as const;
/** Why a take was made, as `explain` and the receipts show it. */
export type TakeReason = (typeof TAKE_REASONS)[number];

/**
 * What the user currently lets a batch do. `stopping`: no new paid requests; the results of running jobs are still
 * fetched; unsent rows are cancelled.
 */
export const CONTROLS = ['running', 'paused', 'stopping'] as const;
/** Set by a person, or by voxbatch itself, as when too many rows fail. */
export type Control = (typeof CONTROLS)[number];

/** Returns a batch's control as views show it: null once the batch is closed, when it has no effect any more. */
export function shownControl({
  state,
  control,
}: {
  readonly state: string;
  readonly control: Control;
}): Control | null {
  return state === 'closed' ? null : control;
}

/** Outcomes with their own table. */
const LISTED_OUTCOMES: readonly string[] = outcomesThat(({ hasTable }) => hasTable);

/** Returns the name of the table with only rows of this outcome; undefined if there is no such table. */
export function outcomeFile(outcome: string): string | undefined {
  return LISTED_OUTCOMES.includes(outcome) ? `${outcome}.csv` : undefined;
}

/** Name of the Excel workbook with a batch's results, in its out folder. */
export const RESULTS_XLSX = 'results.xlsx';

/** Name of its sheet with the failed rows and their reasons. */
export const FAILED_SHEET = 'Failed';
