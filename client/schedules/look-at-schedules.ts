import type { ScheduleDescription } from '@temporalio/client';
import { parseScheduledRun, type ScheduledRun } from '../../inputs/scheduled-run.ts';
import type { OccurrenceRange } from '../../ledger/occurrence-records.ts';
import type { BatchRecord } from '../../ledger/record-types.ts';
import { parseOccurrence } from '../../policy/occurrence.ts';
import type { ScheduleSpec } from '../../policy/schedule-spec.ts';
import { occurrenceViews, type OccurrenceView } from './occurrence-views.ts';
import { askTemporal, handleOf, summariesOf, type SchedulePlace } from './place.ts';
import { decodeSpec, decodeTimes, decodeTimezone, timesInWords } from './spec-coding.ts';
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
}

/** All schedules of the ledger, by name. Throws {@link VoxbatchError} (`schedule-silent`). */
export async function listSchedules(place: SchedulePlace): Promise<readonly ScheduleLine[]> {
  const { ledger } = place;
  const summaries = await summariesOf(place);
  const batches = await ledger.listBatches();
  const lines: ScheduleLine[] = [];
  for (const { name, summary } of summaries) {
    const { spec = {}, state, info, memo = {} } = summary;
    lines.push({
      name,
      times: timesInWords(decodeTimes(spec)),
      timezone: decodeTimezone(spec),
      isPaused: state.paused,
      next: state.paused ? undefined : info.nextActionTimes[0]?.getTime(),
      note: state.note ?? '',
      last: batchesOf(batches, name)[0]?.name,
      hasWorker: await hasWorker(place, memo),
    });
  }
  return lines;
}

/** Details of a schedule. */
export interface ScheduleView {
  readonly name: string;
  readonly spec: ScheduleSpec;
  /** Undefined if another version created it. */
  readonly run: ScheduledRun | undefined;
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
  const found = await askTemporal(place, name, () => handleOf(place, name).describe());
  const { state, info, memo = {} } = found;
  return {
    name,
    spec: decodeSpec(found),
    run: runOf(found),
    isPaused: state.paused,
    note: state.note ?? '',
    next: info.nextActionTimes.map((time) => time.getTime()),
    hasWorker: await hasWorker(place, memo),
    counts: {
      taken: info.numActionsTaken,
      missedCatchUp: info.numActionsMissedCatchupWindow,
      skippedOverlap: info.numActionsSkippedOverlap,
    },
    occurrences: await occurrenceViews(place, name, await surveySchedule(place, name, found), range),
  };
}

/** What a schedule runs; undefined if another version created it. */
function runOf({ action }: Pick<ScheduleDescription, 'action'>): ScheduledRun | undefined {
  const [input] = (action.args ?? []) as readonly unknown[];
  return parseScheduledRun((input as { readonly run?: unknown } | undefined)?.run);
}

/** Those that a schedule made, the newest occurrence first. */
function batchesOf(batches: readonly BatchRecord[], schedule: string): readonly BatchRecord[] {
  return batches
    .filter(({ name }) => parseOccurrence(name)?.schedule === schedule)
    .sort((one, other) => (one.name < other.name ? 1 : -1));
}

async function hasWorker({ ledger }: SchedulePlace, memo: Readonly<Record<string, unknown>>): Promise<boolean> {
  const { apiUrl, account } = memo;
  return (await ledger.livingWorkers(String(apiUrl), String(account))).length > 0;
}
