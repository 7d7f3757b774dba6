import type { ScheduleHooks } from '../../contract/schedule.ts';
import { parseScheduledRun, type ScheduledRun } from '../../inputs/schedules/scheduled-run.ts';
import type { OccurrenceRange, OccurrenceRecord } from '../../ledger/occurrence-records.ts';
import type { BatchRecord } from '../../ledger/record-types.ts';
import type { ScheduleRecord } from '../../ledger/schedule-records.ts';
import { noteInWords, recentOutcomes } from '../../policy/schedules/missing-occurrence.ts';
import { parseOccurrence } from '../../policy/schedules/occurrence.ts';
import type { ScheduleSpec } from '../../policy/schedules/schedule-spec.ts';
import { occurrenceViews, type OccurrenceView } from './occurrence-views.ts';
import { askTemporal, describeIfThere, handleOf, type SchedulePlace } from './place.ts';
import { pauseToShow, requireRecord, specToShow } from './require-settings.ts';
import { monthOfSchedule, type ScheduleMonth } from './schedule-month.ts';
import { timesInWords } from './spec-coding.ts';
import { surveySchedule } from './survey-schedule.ts';

/** A schedule in a list. */
export interface ScheduleLine {
  readonly name: string;
  /** `every 1d`, `cron 0 2 * * *` */
  readonly times: string;
  readonly timezone: string;
  readonly isPaused: boolean;
  /** Why it is paused, or was resumed. */
  readonly note: string;
  /** Next firing, ms since 1970; undefined: never, or not while it is paused. */
  readonly next: number | undefined;
  /** Name of the newest batch that it made. */
  readonly last: string | undefined;
  /** True if a worker for its account is there. Without one the schedule makes no batch. */
  readonly hasWorker: boolean;
  /** How this month stands; undefined: it has no budget for months. */
  readonly month: ScheduleMonth | undefined;
  /** Of the 100 newest occurrences. */
  readonly recent: ReturnType<typeof recentOutcomes<OccurrenceRecord>>;
}

/** Occurrences that a list looks at. */
const MOST_COUNTED = 100;

/** All schedules of the ledger, by name. Records what did not take place. Throws {@link VoxbatchError} (`schedule-silent`). */
export async function listSchedules(place: SchedulePlace): Promise<readonly ScheduleLine[]> {
  const { ledger } = place;
  const batches = await ledger.listBatches();
  const lines: ScheduleLine[] = [];
  for (const { name } of await ledger.knownSchedules()) {
    const record = await ledger.scheduleRecord(name);
    // `check` tells of one that Temporal has lost.
    const found = await describeIfThere(place, name);
    if (found === undefined || record === undefined) continue;
    const { info } = found;
    const spec = specToShow(record, found);
    const { isPaused, note } = pauseToShow(record, found);
    await surveySchedule(place, name, found);
    lines.push({
      name,
      times: timesInWords(spec.times),
      timezone: spec.timezone,
      isPaused,
      next: isPaused ? undefined : info.nextActionTimes[0]?.getTime(),
      note: noteInWords(note),
      last: batchesOf(batches, name)[0]?.name,
      hasWorker: await hasWorker(place, record),
      month: await monthOfSchedule(place, name, spec),
      recent: recentOutcomes(await ledger.occurrencesOf(name, { most: MOST_COUNTED })),
    });
  }
  return lines;
}

/** Details of a schedule. */
export interface ScheduleView {
  readonly name: string;
  readonly spec: ScheduleSpec;
  /** Undefined if it is not on record in a form that this version reads. */
  readonly run: ScheduledRun | undefined;
  /** Of its batches, and of occurrences without one. */
  readonly hooks: ScheduleHooks;
  /** How this month stands; undefined: it has no budget for months. */
  readonly month: ScheduleMonth | undefined;
  readonly isPaused: boolean;
  /** Why it is paused, or was resumed. */
  readonly note: string;
  /** The next ten firings, ms since 1970, jitter included; while it is paused, those that it would have. */
  readonly next: readonly number[];
  readonly hasWorker: boolean;
  /** Firings so far, triggers and backfills included, and those that did not take place. */
  readonly counts: { readonly taken: number; readonly missedCatchUp: number; readonly skippedOverlap: number };
  /** Those that were asked for, and those that may still take place; the newest first. */
  readonly occurrences: readonly OccurrenceView[];
}

const SHOWN_OCCURRENCES = 10;

/**
 * Details of a schedule, with these of its occurrences; default: the latest ten. Records what did not take place. Throws
 * {@link VoxbatchError} (`no-schedule`, `schedule-silent`).
 */
export async function showSchedule(
  place: SchedulePlace,
  name: string,
  range: OccurrenceRange = { most: SHOWN_OCCURRENCES },
): Promise<ScheduleView> {
  const record = await requireRecord(place, name);
  const found = await askTemporal(place, name, () => handleOf(place, name).describe());
  const { info } = found;
  const { isPaused, note } = pauseToShow(record, found);
  const spec = specToShow(record, found);
  return {
    name,
    spec,
    run: parseScheduledRun(record.settings?.run),
    hooks: await place.ledger.scheduleHooks(name),
    month: await monthOfSchedule(place, name, spec),
    isPaused,
    note: noteInWords(note),
    next: info.nextActionTimes.map((time) => time.getTime()),
    hasWorker: await hasWorker(place, record),
    counts: {
      taken: info.numActionsTaken,
      missedCatchUp: info.numActionsMissedCatchupWindow,
      skippedOverlap: info.numActionsSkippedOverlap,
    },
    occurrences: await occurrenceViews(place, name, await surveySchedule(place, name, found), range),
  };
}

/** Those that a schedule made, the newest occurrence first. */
function batchesOf(batches: readonly BatchRecord[], schedule: string): readonly BatchRecord[] {
  return batches
    .filter(({ name }) => parseOccurrence(name)?.schedule === schedule)
    .sort((one, other) => (one.name < other.name ? 1 : -1));
}

/** Whether a worker for the account of a schedule is there. Throws {@link VoxbatchError} (`no-schedule`). */
export async function isAttended(place: SchedulePlace, name: string): Promise<boolean> {
  return hasWorker(place, await requireRecord(place, name));
}

/** None is there for a schedule without settings: nobody could make its batches. */
async function hasWorker({ ledger }: SchedulePlace, { settings }: Pick<ScheduleRecord, 'settings'>): Promise<boolean> {
  return settings !== undefined && (await ledger.livingWorkers(settings.apiUrl, settings.account)).length > 0;
}
