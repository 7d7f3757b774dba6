import type { ScheduleDescription } from '@temporalio/client';
import { priceScheduled, type ScheduledLookUps, type ScheduledPrice } from '../../batches/schedules/price-scheduled.ts';
import type { ScheduleHooks, SkipCause } from '../../contract/schedule.ts';
import type { TunableValues } from '../../contract/tunables.ts';
import { withoutPath } from '../../contract/url-scheme.ts';
import { utcSecond } from '../../contract/utc-second.ts';
import { EXIT_CODES } from '../../contract/exit-codes.ts';
import { labelOfPlace } from '../../inputs/manifest-url.ts';
import { parseScheduledRun, type ScheduledRun } from '../../inputs/schedules/scheduled-run.ts';
import type { OccurrenceRange } from '../../ledger/schedules/occurrence-records.ts';
import type { ScheduleRecord } from '../../ledger/schedules/schedule-records.ts';
import { noteInWords, recentOutcomes } from '../../policy/schedules/missing-occurrence.ts';
import { monthOf, type MonthStanding } from '../../policy/schedules/month-budget.ts';
import { parseOccurrence } from '../../policy/schedules/occurrence.ts';
import type { ScheduleSpec } from '../../policy/schedules/schedule-spec.ts';
import { identifyMedia } from '../cache/identify-media.ts';
import { fetchManifest } from '../run/fetch-manifest.ts';
import { occurrenceViews, type OccurrenceView } from './occurrence-views.ts';
import { describe, describeIfThere, type SchedulePlace } from './place.ts';
import { previewSchedule, type TimeRange } from './preview-schedule.ts';
import { pauseToShow, requireRecord, specToShow } from './require-settings.ts';
import { timesInWords } from './spec-coding.ts';
import { surveySchedule } from './survey-schedule.ts';
import { timeInZone } from './zone-time.ts';

/** What a schedule has spent in a calendar month, and what is left of its budget. */
export interface ScheduleMonth extends MonthStanding {
  /** `2026-12` */
  readonly month: string;
}

/** What is shown of a schedule wherever one is shown. */
interface ScheduleHead {
  /** Its name. */
  readonly schedule: string;
  /** `every 1d`, `cron 0 2 * * *` */
  readonly times: string;
  readonly timezone: string;
  readonly paused: boolean;
  /** Why it is paused, or was resumed. */
  readonly note: string;
}

/** A schedule in a list; times in UTC. */
export interface ScheduleLine extends ScheduleHead {
  /** Next firing; null: never, or not while it is paused. */
  readonly next: string | null;
  /** Name of the newest batch that it made. */
  readonly last: string | null;
  /** True if a worker for its account is there. Without one the schedule makes no batch. */
  readonly worker: boolean;
  /** How this month stands; null: it has no budget for months. */
  readonly month: ScheduleMonth | null;
  /** Of the newest occurrence that is over, or was skipped. */
  readonly lastState: OccurrenceView['state'] | null;
  readonly lastCause: SkipCause | null;
  readonly lastExitCode: number | null;
  /** How many failed or were skipped since the last that ended, of the 100 newest. */
  readonly amissInARow: number;
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
    const { spec, ...head } = headOf(record, found);
    await surveySchedule(place, name, found);
    const { newest, amissInARow } = recentOutcomes(await ledger.occurrencesOf(name, { most: MOST_COUNTED }));
    const made = batches.map((batch) => batch.name).filter((batch) => parseOccurrence(batch)?.schedule === name);
    const [next] = head.paused ? [] : found.info.nextActionTimes;
    lines.push({
      ...head,
      next: next === undefined ? null : utcSecond(next.getTime()),
      last: made.sort().at(-1) ?? null,
      worker: await hasWorker(place, record),
      month: await monthOfSchedule(place, name, spec),
      lastState: newest?.state ?? null,
      lastCause: newest?.cause ?? null,
      lastExitCode: newest?.exit == null ? null : EXIT_CODES[newest.exit].code,
      amissInARow,
    });
  }
  return lines;
}

/** Details of a schedule; times in UTC. */
export interface ScheduleView extends ScheduleHead {
  readonly jitterMs: number;
  readonly overlap: ScheduleSpec['overlap'];
  readonly catchUpMs: number;
  readonly pauseOnFailure: boolean;
  readonly until: string | null;
  readonly runsLeft: number | null;
  /** The place of its manifest, without what may be secret; null with the four that follow: not on record in a form that this version reads. */
  readonly manifest: string | null;
  /** Folder that gets a folder for each batch. */
  readonly out: string | null;
  /** Credits of each run; null: no limit. */
  readonly budget: number | null;
  readonly confirm: number | null;
  readonly cache: TunableValues['cache'] | null;
  readonly month: ScheduleMonth | null;
  /** Hooks of its batches, and of occurrences without one. */
  readonly onEnd: ScheduleHooks['onEnd'];
  /** Its host: the path may be a secret. */
  readonly notify: string | null;
  readonly worker: boolean;
  /** Firings so far, triggers and backfills included, and those that did not take place. */
  readonly fired: number;
  readonly missed: number;
  readonly skippedOverlap: number;
  /** The next ten firings, jitter included; while it is paused, those that it would have. */
  readonly next: readonly string[];
  /** Those that were asked for, and those that may still take place; the newest first. */
  readonly occurrences: readonly OccurrenceView[];
}

/** A schedule as it is shown, and as it is settled. */
export interface ShownSchedule {
  readonly view: ScheduleView;
  readonly spec: ScheduleSpec;
  /** Undefined if it is not on record in a form that this version reads. */
  readonly run: ScheduledRun | undefined;
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
): Promise<ShownSchedule> {
  const record = await requireRecord(place, name);
  const found = await describe(place, name);
  const { info } = found;
  const { spec, ...head } = headOf(record, found);
  const { jitterMs, overlap, catchUpMs, pauseOnFailure, until, runs } = spec;
  const run = parseScheduledRun(record.settings?.run);
  const { onEnd, notify } = await place.ledger.scheduleHooks(name);
  const view = {
    ...head,
    ...{ jitterMs, overlap, catchUpMs, pauseOnFailure },
    until: until === null ? null : utcSecond(until),
    runsLeft: runs,
    manifest: run === undefined ? null : labelOfPlace(run.manifest),
    out: run?.outFolder ?? null,
    budget: run?.tunables.budget ?? null,
    confirm: run?.confirmAbove ?? null,
    cache: run?.tunables.cache ?? null,
    month: await monthOfSchedule(place, name, spec),
    onEnd,
    notify: notify === null ? null : withoutPath(notify),
    worker: await hasWorker(place, record),
    fired: info.numActionsTaken,
    missed: info.numActionsMissedCatchupWindow,
    skippedOverlap: info.numActionsSkippedOverlap,
    next: info.nextActionTimes.map((time) => utcSecond(time.getTime())),
    occurrences: await occurrenceViews(place.ledger, name, await surveySchedule(place, name, found), range),
  };
  return { view, spec, run };
}

/** When a schedule fires, and what each firing would cost now. */
export interface PreviewView extends Pick<ScheduleHead, 'schedule' | 'timezone' | 'paused'> {
  /** `at`: in UTC; `local`: as clocks of its timezone show it. */
  readonly firings: readonly { readonly at: string; readonly local: string }[];
  /** Null: what it runs is not on record in a form that this version reads. */
  readonly each: ScheduledPrice | null;
  readonly month: ScheduleMonth | null;
}

/** What a preview is of, and what its rows are compared with. */
export interface PreviewRequest {
  /** Default: the next ten firings. */
  readonly range: TimeRange | undefined;
  /** Whose earlier results cost nothing again; undefined: unknown. */
  readonly account: ScheduledLookUps['account'];
}

/** The firings of a schedule, and the price of each. Spends nothing. Throws {@link VoxbatchError} (`no-schedule`, `schedule-silent`). */
export async function previewFirings(
  place: SchedulePlace,
  name: string,
  { range, account }: PreviewRequest,
): Promise<PreviewView> {
  const { view, run } = await showSchedule(place, name);
  const { schedule, timezone, paused, month } = view;
  const times = range === undefined ? view.next.map(Date.parse) : await previewSchedule(place, name, range);
  const looked = { ledger: place.ledger, account, identify: identifyMedia };
  return {
    schedule,
    timezone,
    paused,
    firings: times.map((at) => ({ at: utcSecond(at), local: timeInZone(at, timezone) })),
    each: run === undefined ? null : await priceScheduled(run, fetchManifest, looked, month),
    month,
  };
}

/** Whether a worker for the account of a schedule is there. Throws {@link VoxbatchError} (`no-schedule`). */
export async function isAttended(place: SchedulePlace, name: string): Promise<boolean> {
  return hasWorker(place, await requireRecord(place, name));
}

/** None is there for a schedule without settings: nobody could make its batches. */
async function hasWorker({ ledger }: SchedulePlace, { settings }: Pick<ScheduleRecord, 'settings'>): Promise<boolean> {
  return settings !== undefined && (await ledger.livingWorkers(settings.apiUrl, settings.account)).length > 0;
}

function headOf(record: ScheduleRecord, found: ScheduleDescription): ScheduleHead & Pick<ShownSchedule, 'spec'> {
  const spec = specToShow(record, found);
  const { isPaused, note } = pauseToShow(record, found);
  const { times, timezone } = spec;
  return {
    schedule: record.name,
    times: timesInWords(times),
    timezone,
    paused: isPaused,
    note: noteInWords(note),
    spec,
  };
}

/** How the current month of a schedule stands; null if it has no budget for months. */
async function monthOfSchedule(
  { ledger }: SchedulePlace,
  schedule: string,
  { budgetMonth: credits, timezone }: ScheduleSpec,
): Promise<ScheduleMonth | null> {
  if (credits === null) return null;
  const at = Date.now();
  return { month: monthOf(at, timezone), ...(await ledger.monthSpend({ schedule, at, credits, timezone })) };
}
