import type { ExitName } from '../../contract/exit-codes.ts';
import type { SkipCause } from '../../contract/schedule.ts';
import type { AllowedFirings } from '../../policy/schedules/legal-firing.ts';
import type { OccurrenceRecord } from '../schedules/occurrence-records.ts';
import { integer, json, numbered, orNull, table, text, time, type LineOf } from './columns.ts';

/** The tables of schedules and of the times at which they fire. */

/** One line per schedule that is known here. */
export const schedules = table(['name'], {
  name: text(),
  /** Every time up to this one at which it was due has its line in `occurrences`. */
  surveyed_until: time(),
  /** `--on-end` of its batches, and of its occurrences without one. */
  on_end: orNull(text()),
  /** The same for `--notify`. */
  notify: orNull(text()),
  /** `ScheduledRun` */
  run: json(),
  /** `ScheduleSpec` */
  spec: json(),
  api_url: text(),
  account: text(),
  /** When its times were last set. */
  settled_at: time(),
  /** Why it was last paused or resumed here; null: it never was. */
  note: orNull(text()),
});

/** One line per stretch of time in which firings of a schedule are allowed. */
export const allowedFirings = table(['id'], {
  id: numbered(),
  schedule: text(),
  kind: text<AllowedFirings['kind']>(),
  from_at: time(),
  /** null: it goes on. */
  until_at: orNull(time()),
  /** `ScheduleSpec`; null: any time. */
  spec: orNull(json()),
  /** Of a trigger: the time for which it fired. Of a backfill: when it was asked for. */
  at: orNull(time()),
  /** Since when a trigger or a backfill allows nothing any more. */
  voided_at: orNull(time()),
});
export type AllowedFiringsTable = LineOf<typeof allowedFirings>;

/** One line per time at which a schedule was due. */
export const occurrences = table(['schedule', 'at'], {
  schedule: text(),
  at: time(),
  state: text<OccurrenceRecord['state']>(),
  exit: orNull(text<ExitName>()),
  cause: orNull(text<SkipCause>()),
  reason: orNull(text()),
  ended_at: orNull(time()),
  /** As the server of its manifest sent it. */
  etag: orNull(text()),
  /** 1: its manifest is that of the occurrence before; null: not known. */
  unchanged: orNull(integer()),
  /** Folder of its files, absolute; null: an earlier version began it, or it never began. */
  out: orNull(text()),
});
export type OccurrencesTable = LineOf<typeof occurrences>;
