import type { ScheduleHooks } from '../contract/schedule.ts';
import type { Occurrence } from '../policy/occurrence.ts';
import type { MonthStanding } from '../policy/month-budget.ts';
import type {
  KnownSchedule,
  MonthQuestion,
  OccurrenceEnding,
  OccurrenceRange,
  OccurrenceRecord,
  Survey,
} from './occurrence-records.ts';

/** What became of each time at which a schedule was due. A part of {@link Ledger}. */
export interface OccurrenceMethods {
  /** Sets the hooks of a schedule that is known; absent ones stay as they are. */
  setScheduleHooks(schedule: string, hooks: Partial<ScheduleHooks>): Promise<void>;
  /** The hooks of a schedule; none for one that is not known. */
  scheduleHooks(schedule: string): Promise<ScheduleHooks>;
  /** Makes a schedule known, as surveyed up to `from`. One that is known stays as it is. */
  trackSchedule(schedule: string, from: number): Promise<void>;
  /** Forgets that a schedule is to be surveyed; its occurrences stay. */
  forgetSchedule(schedule: string): Promise<void>;
  /** All schedules that were made and not deleted, by name. */
  knownSchedules(): Promise<readonly KnownSchedule[]>;
  /** Records that an occurrence fires: `running`. Also one that was skipped or has failed; one that has ended stays. */
  beginOccurrence(occurrence: Occurrence): Promise<void>;
  /** Records how an occurrence ended. The last word counts. */
  endOccurrence(occurrence: Occurrence, end: OccurrenceEnding): Promise<void>;
  /** Records which manifest the batch of an occurrence was made of, and whether it is that of the batch before. */
  noteManifest(occurrence: Occurrence, etag: string | null): Promise<void>;
  /** Records a survey: occurrences that did not take place, unless they are on record, and how far it went. */
  noteSkips(schedule: string, survey: Survey): Promise<void>;
  /** What the batches of a schedule spent in a calendar month, and what is left of its budget. */
  monthSpend(question: MonthQuestion): Promise<MonthStanding>;
  /** Occurrences on record, the newest first. */
  occurrencesOf(schedule: string, which?: OccurrenceRange): Promise<readonly OccurrenceRecord[]>;
}
