import type { ExitName } from '../../contract/exit-codes.ts';
import type { SkipCause } from '../../contract/schedule.ts';
import type { MonthBudget } from '../../policy/schedules/month-budget.ts';
import type { Occurrence } from '../../policy/schedules/occurrence.ts';

/** A time at which a schedule was due, and what came of it. Temporal forgets that after its retention time; the ledger does not. */
export interface OccurrenceRecord {
  /** The time that it was scheduled for, ms since 1970. */
  readonly at: number;
  /**
   * `running`: its firing has begun, and lasts as long as its batch. `failed`: it made no batch, its batch gave up, or its files could not be
   * written. `skipped`: it did not take place.
   */
  readonly state: 'running' | 'ended' | 'failed' | 'skipped';
  /** How its batch ended; null: it runs, or there is none. */
  readonly exit: ExitName | null;
  /** Why it was skipped; null: it was not. */
  readonly cause: SkipCause | null;
  /** Why it failed or was skipped, for people; null: it has not. */
  readonly reason: string | null;
  /** When it was over, ms; null: it runs, or was skipped. */
  readonly endedAt: number | null;
  /** How the server of its manifest names the version that it sent; null: it does not, or it was no URL. */
  readonly etag: string | null;
  /** Its manifest is, byte for byte, that of the batch before; null: it made no batch. */
  readonly isUnchanged: boolean | null;
  /** Folder of its files, absolute; null: an earlier version began it, or it never began. */
  readonly out: string | null;
}

/** How an occurrence begins. */
export interface OccurrenceBeginning {
  /** Folder of its files, absolute. */
  readonly out?: string;
  /** The trigger that it is used up by; see `AllowedFirings`. */
  readonly trigger?: number;
}

/** How an occurrence ended. `exit`: how its batch did; null: it made none. `skipped`: it fired, and made none on purpose. */
export type OccurrenceEnding =
  | { readonly type: 'ended'; readonly exit: ExitName }
  | { readonly type: 'failed'; readonly exit: ExitName | null; readonly reason: string }
  | { readonly type: 'skipped'; readonly cause: SkipCause; readonly reason: string };

/** An occurrence that did not take place. */
export interface SkippedOccurrence {
  readonly at: number;
  readonly cause: SkipCause;
  /** For people. */
  readonly reason: string;
}

/** What a look at the due times of a schedule found. */
export interface Survey {
  readonly skipped: readonly SkippedOccurrence[];
  /** Every time up to this one is settled, ms since 1970. It never goes back. */
  readonly until: number;
}

/** Which occurrences are asked for. */
export interface OccurrenceRange {
  /** Scheduled for this time or later, ms since 1970. Default: any. */
  readonly from?: number | undefined;
  /** So many, the newest. Default: all. */
  readonly most?: number | undefined;
}

/** The budget of a schedule for the calendar month in which `at` lies. */
export interface MonthQuestion extends Occurrence, MonthBudget {
  /** The batch that does not count. */
  readonly except?: string | undefined;
}

/** A firing that wants its part of a month's budget. */
export interface MonthClaim extends MonthQuestion {
  /** The least that one of its rows costs, in credits; null: unknown. */
  readonly cheapest: number | null;
}
