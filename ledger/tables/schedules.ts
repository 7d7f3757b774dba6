import type { Generated } from 'kysely';
import type { ExitName } from '../../contract/exit-codes.ts';
import type { SkipCause } from '../../contract/schedule.ts';
import type { AllowedFirings } from '../../policy/schedules/legal-firing.ts';
import type { OccurrenceRecord } from '../occurrence-records.ts';
import type { Json } from './json.ts';

/** The tables of schedules and of the times at which they fire. */

/** One line per schedule that is known here. */
export interface SchedulesTable {
  name: string;
  /** Every time up to this one at which it was due has its line in `occurrences`, ms. */
  surveyed_until: number;
  /** `--on-end` of its batches, and of its occurrences without one. */
  on_end: string | null;
  /** The same for `--notify`. */
  notify: string | null;
  /** `ScheduledRun`; null: its settings are not here. So with the next three. */
  run: Json | null;
  /** `ScheduleSpec` */
  spec: Json | null;
  api_url: string | null;
  account: string | null;
  /** When its times were last set, ms. */
  settled_at: number | null;
  /** Made by an earlier version: settings that Temporal has had since before this moment are taken over, ms. */
  legacy_until: number | null;
  /** Why it was last paused or resumed here; null: it never was, or by an earlier version. */
  note: string | null;
}

/** One line per stretch of time in which firings of a schedule are allowed. */
export interface AllowedFiringsTable {
  id: Generated<number>;
  schedule: string;
  kind: AllowedFirings['kind'];
  from_at: number;
  /** null: it goes on. */
  until_at: number | null;
  /** `ScheduleSpec`; null: any time. */
  spec: Json | null;
  /** Of a trigger: the time for which it fired. Of a backfill: when it was asked for. */
  at: number | null;
  /** A trigger or a backfill that allows nothing any more, since when, ms. */
  voided_at: number | null;
}

/** One line per time at which a schedule was due. */
export interface OccurrencesTable {
  schedule: string;
  at: number;
  state: OccurrenceRecord['state'];
  exit: ExitName | null;
  cause: SkipCause | null;
  reason: string | null;
  ended_at: number | null;
  /** As the server of its manifest sent it. */
  etag: string | null;
  /** 1: its manifest is that of the occurrence before; null: not known. */
  unchanged: number | null;
  /** Folder of its files, absolute; null: an earlier version began it, or it never began. */
  out: string | null;
}
