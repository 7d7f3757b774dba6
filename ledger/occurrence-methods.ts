import type { ScheduleHooks } from '../contract/schedule.ts';
import type { Occurrence } from '../policy/occurrence.ts';
import type { MonthStanding } from '../policy/month-budget.ts';
import type {
  KnownSchedule,
  MonthQuestion,
  OccurrenceBeginning,
  OccurrenceEnding,
  OccurrenceRange,
  OccurrenceRecord,
  Survey,
} from './occurrence-records.ts';
import type { NewAllowance, ScheduleRecord, ScheduleSettings } from './schedule-records.ts';

/** What schedules run, and when they may fire. A part of {@link Ledger}. */
export interface ScheduleMethods {
  /**
   * Sets what a schedule runs and when, from a moment on, and makes it known. Its due times from then on are allowed, unless it is paused here; those
   * of its former times until then stay so. If it runs something else than before, triggers and backfills that have not begun are void.
   */
  settleSchedule(schedule: string, settings: ScheduleSettings, at: number): Promise<void>;
  /** Notes that the settings of a schedule of an earlier version cannot be taken over from Temporal. */
  declineSettings(schedule: string): Promise<void>;
  /** A schedule; undefined if it is not known. */
  scheduleRecord(schedule: string): Promise<ScheduleRecord | undefined>;
  /** Allows no due time after a moment, and no trigger or backfill that was asked for before it and has not begun. `note`: why. */
  pauseFirings(schedule: string, at: number, note: string): Promise<void>;
  /** Allows due times from a moment on again. `note`: why. */
  resumeFirings(schedule: string, at: number, note: string): Promise<void>;
  /** Allows firings that somebody asks for. Returns the id of the allowance. */
  allowFirings(schedule: string, allowance: NewAllowance): Promise<number>;
  /** Takes an allowance back. False, and it stays, if it is a trigger that has fired. */
  withdrawFirings(id: number): Promise<boolean>;
}

/** What became of each time at which a schedule was due. A part of {@link Ledger}. */
export interface OccurrenceMethods {
  /** Sets the hooks of a schedule that is known; absent ones stay as they are. */
  setScheduleHooks(schedule: string, hooks: Partial<ScheduleHooks>): Promise<void>;
  /** The hooks of a schedule; none for one that is not known. */
  scheduleHooks(schedule: string): Promise<ScheduleHooks>;
  /** Forgets a schedule, which cannot fire from then on; its occurrences stay. */
  forgetSchedule(schedule: string): Promise<void>;
  /** All schedules that were made and not deleted, by name. */
  knownSchedules(): Promise<readonly KnownSchedule[]>;
  /**
   * Records that an occurrence fires: `running`. Also one that was skipped or has failed; one that runs or has ended stays. False, and nothing is
   * recorded, if its trigger has fired for another time, or is void.
   */
  beginOccurrence(occurrence: Occurrence, how?: OccurrenceBeginning): Promise<boolean>;
  /** Records how an occurrence ended. The last word counts. */
  endOccurrence(occurrence: Occurrence, end: OccurrenceEnding): Promise<void>;
  /** Records which manifest the batch of an occurrence was made of, and whether it is that of the batch before. */
  noteManifest(occurrence: Occurrence, etag: string | null): Promise<void>;
  /** Records a survey: occurrences that did not take place, unless they are on record, and how far it went. */
  noteSkips(schedule: string, survey: Survey): Promise<void>;
  /** What the batches of a schedule spent in a calendar month, and what is left of its budget. */
  monthSpend(question: MonthQuestion): Promise<MonthStanding>;
  /** An occurrence on record. */
  findOccurrence(occurrence: Occurrence): Promise<OccurrenceRecord | undefined>;
  /** Occurrences on record, the newest first. */
  occurrencesOf(schedule: string, which?: OccurrenceRange): Promise<readonly OccurrenceRecord[]>;
}
