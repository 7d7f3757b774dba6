import type { ExitName } from '../../contract/exit-codes.ts';
import type { SkipCause } from '../../contract/schedule.ts';
import type { AllowedFirings } from '../../policy/schedules/legal-firing.ts';
import type { OccurrenceRecord } from '../schedules/occurrence-records.ts';
import { integer, json, numbered, orNull, table, text, time, type LineOf } from './columns.ts';

/*
 * The tables of schedules and of the times at which they fire. Times are ms since 1970.
 */

/** One line per schedule. */
export const schedules = table(['name'], {
  name: text(),
  /** Every due time up to this one has its line in `occurrences`. */
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
  /** When its run or times were last set. */
  settled_at: time(),
  /** Why it was last paused or resumed here; null if never. */
  note: orNull(text()),
});

/** One line per time range in which firings of a schedule are allowed. */
export const allowedFirings = table(['id'], {
  id: numbered(),
  schedule: text(),
  kind: text<AllowedFirings['kind']>(),
  from_at: time(),
  /** Null while it is open. */
  until_at: orNull(time()),
  /** `ScheduleSpec`; null for any time. */
  spec: orNull(json()),
  /** For a trigger: the time for which it fired. For a backfill: when it was requested. */
  at: orNull(time()),
  /** When a trigger or backfill became void. */
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
  /** 1: its manifest equals the previous occurrence's; null if unknown. */
  unchanged: orNull(integer()),
  /** Absolute path of its output folder; null if an earlier version began it, or it never began. */
  out: orNull(text()),
});
export type OccurrencesTable = LineOf<typeof occurrences>;
