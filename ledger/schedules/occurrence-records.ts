import type { ExitName } from '../../contract/exit-codes.ts';
import type { SkipCause } from '../../contract/schedule.ts';
import type { MonthBudget } from '../../policy/schedules/month-budget.ts';
import type { Occurrence } from '../../policy/schedules/occurrence.ts';

/**
 * A time at which a schedule was due, and its outcome. Temporal forgets it after its retention period; the ledger does
 * not.
 */
export interface OccurrenceRecord {
  /** Scheduled time, ms since 1970. */
  readonly at: number;
  /**
   * `running`: its firing has begun, and lasts as long as its batch. `failed`: it made no batch, its batch gave up, or
   * its files could not be written.
   */
  readonly state: 'running' | 'ended' | 'failed' | 'skipped';
  /** The exit of its batch; null while it runs, or if there is none. */
  readonly exit: ExitName | null;
  /** Why it was skipped; null unless skipped. */
  readonly cause: SkipCause | null;
  /** Human-readable reason why it failed or was skipped; null otherwise. */
  readonly reason: string | null;
  /** When it ended, ms; null while it runs, or if it was skipped. */
  readonly endedAt: number | null;
  /** ETag of its manifest; null if the server sent none, or the manifest is not a URL. */
  readonly etag: string | null;
  /** Whether its manifest is byte-identical to the previous batch's; null if it made no batch. */
  readonly isUnchanged: boolean | null;
  /** Absolute path of its output folder; null if an earlier version began it, or it never began. */
  readonly out: string | null;
}

/** What is recorded when an occurrence fires. */
export interface OccurrenceBeginning {
  /** Folder of its files, absolute. */
  readonly out?: string;
  /** Id of the manual trigger that it uses up; see `AllowedFirings`. */
  readonly trigger?: number;
}

/**
 * How an occurrence ended. `exit`: its batch's exit; null if it made no batch. `skipped`: it fired and deliberately
 * made no batch.
 */
export type OccurrenceEnding =
  | { readonly type: 'ended'; readonly exit: ExitName }
  | { readonly type: 'failed'; readonly exit: ExitName | null; readonly reason: string }
  | { readonly type: 'skipped'; readonly cause: SkipCause; readonly reason: string };

/** An occurrence that did not fire; also recorded as `skipped`. */
export interface SkippedOccurrence {
  /** Scheduled time, ms since 1970. */
  readonly at: number;
  readonly cause: SkipCause;
  /** Human-readable. */
  readonly reason: string;
}

/** The result of checking a schedule's due times. */
export interface Survey {
  readonly skipped: readonly SkippedOccurrence[];
  /** Every due time up to this one is settled, ms since 1970. Never decreases. */
  readonly until: number;
}

/** Which occurrences to read. */
export interface OccurrenceRange {
  /** Scheduled for this time or later, ms since 1970. Default: any. */
  readonly from?: number | undefined;
  /** Max number, newest first. Default: all. */
  readonly max?: number | undefined;
}

/** Asks how much of a schedule's monthly budget is used in the calendar month that contains `at`. */
export interface MonthQuestion extends Occurrence, MonthBudget {
  /** A batch to leave out of the count. */
  readonly except?: string | undefined;
}

/** A firing's claim on a month's budget. */
export interface MonthClaim extends MonthQuestion {
  /** Price of its cheapest row, in credits; null if unknown. */
  readonly cheapest: number | null;
}
