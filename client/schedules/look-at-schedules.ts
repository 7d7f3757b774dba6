import type { ScheduleDescription } from '@temporalio/client';
import type { ScheduleHooks } from '../../contract/schedule.ts';
import { parseScheduledRun, type ScheduledRun } from '../../inputs/scheduled-run.ts';
import type { OccurrenceRange, OccurrenceRecord } from '../../ledger/occurrence-records.ts';
import type { BatchRecord } from '../../ledger/record-types.ts';
import { noteInWords } from '../../policy/pause-note.ts';
import { recentOutcomes, type RecentOutcomes } from '../../policy/recent-outcomes.ts';
import { parseOccurrence } from '../../policy/occurrence.ts';
import type { ScheduleSpec } from '../../policy/schedule-spec.ts';
import { VoxbatchError } from '../problem.ts';
import { occurrenceViews, type OccurrenceView } from './occurrence-views.ts';
import { askTemporal, handleOf, summariesOf, type SchedulePlace } from './place.ts';
import { monthOfSchedule, type ScheduleMonth } from './schedule-month.ts';
import { decodeSpec, inputOf, timesInWords } from './spec-coding.ts';
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
  readonly recent: RecentOutcomes<OccurrenceRecord>;
}

/** Occurrences that a list looks at. */
const MOST_COUNTED = 100;

/** All schedules of the ledger, by name. Records what did not take place. Throws {@link VoxbatchError} (`schedule-silent`). */
export async function listSchedules(place: SchedulePlace): Promise<readonly ScheduleLine[]> {
  const { ledger } = place;
  const summaries = await summariesOf(place);
  const batches = await ledger.listBatches();
  const lines: ScheduleLine[] = [];
  for (const { name } of summaries) {
    const found = await describeIfThere(place, name);
    if (found === undefined) continue;
    const { state, info, memo = {} } = found;
    const spec = decodeSpec(found);
    await surveySchedule(place, name, found);
    lines.push({
      name,
      times: timesInWords(spec.times),
      timezone: spec.timezone,
      isPaused: state.paused,
      next: state.paused ? undefined : info.nextActionTimes[0]?.getTime(),
      note: noteInWords(state.note ?? ''),
      last: batchesOf(batches, name)[0]?.name,
      hasWorker: await hasWorker(place, memo),
      month: await monthOfSchedule(place, name, spec),
      recent: recentOutcomes(await ledger.occurrencesOf(name, { most: MOST_COUNTED })),
    });
  }
  return lines;
}

/** Undefined if it was deleted a moment ago: the list of Temporal lags behind. */
async function describeIfThere(place: SchedulePlace, name: string): Promise<ScheduleDescription | undefined> {
  try {
    return await askTemporal(place, name, () => handleOf(place, name).describe());
  } catch (error) {
    if (error instanceof VoxbatchError && error.problem.type === 'no-schedule') return undefined;
    throw error;
  }
}

/** Details of a schedule. */
export interface ScheduleView {
  readonly name: string;
  readonly spec: ScheduleSpec;
  /** Undefined if another version created it. */
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
  const found = await askTemporal(place, name, () => handleOf(place, name).describe());
  const { state, info, memo = {} } = found;
  const spec = decodeSpec(found);
  return {
    name,
    spec,
    run: parseScheduledRun(inputOf(found).run),
    hooks: await place.ledger.scheduleHooks(name),
    month: await monthOfSchedule(place, name, spec),
    isPaused: state.paused,
    note: noteInWords(state.note ?? ''),
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

/** Those that a schedule made, the newest occurrence first. */
function batchesOf(batches: readonly BatchRecord[], schedule: string): readonly BatchRecord[] {
  return batches
    .filter(({ name }) => parseOccurrence(name)?.schedule === schedule)
    .sort((one, other) => (one.name < other.name ? 1 : -1));
}

/** Whether a worker for the account of a schedule is there. Throws {@link VoxbatchError} (`no-schedule`, `schedule-silent`). */
export async function isAttended(place: SchedulePlace, name: string): Promise<boolean> {
  const { memo = {} } = await askTemporal(place, name, () => handleOf(place, name).describe());
  return hasWorker(place, memo);
}

async function hasWorker({ ledger }: SchedulePlace, memo: Readonly<Record<string, unknown>>): Promise<boolean> {
  const { apiUrl, account } = memo;
  return (await ledger.livingWorkers(String(apiUrl), String(account))).length > 0;
}
