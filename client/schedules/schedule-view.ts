import { priceScheduled, type ScheduledLookUps } from '../../batches/schedules/price-scheduled.ts';
import { utcSecond } from '../../contract/times.ts';
import { EXIT_CODES } from '../../contract/exit-codes.ts';
import { withoutPath } from '../../contract/shown-value.ts';
import { labelOfPlace } from '../../inputs/manifest-place.ts';
import { parseScheduledRun } from '../../inputs/schedules/scheduled-run.ts';
import type { OccurrenceRange } from '../../ledger/schedules/occurrence-records.ts';
import type { ScheduleRecord } from '../../ledger/schedules/schedule-settings.ts';
import { needsAttention, recentOutcomes } from '../../policy/schedules/missing-occurrence.ts';
import { parseOccurrence } from '../../policy/schedules/occurrence.ts';
import { identifyMedia } from '../run/price.ts';
import { VoxbatchError } from '../problem.ts';
import { fetchManifest } from '../run/open-manifest.ts';
import { occurrenceViews } from './occurrence-view.ts';
import { NOTHING_FOUND, withUnrecorded } from './survey-record.ts';
import {
  describe,
  describeIfThere,
  requireRecord,
  unknownSchedulesIn,
  type OpenSchedules,
  type SchedulePlace,
} from './open-schedules.ts';
import { headOf, isDone, monthOfSchedule, headInTemporal } from './recorded-view.ts';
import { previewSchedule, surveyForgotten, surveySchedule, type TimeRange } from './survey-schedule.ts';

/** A schedule in a list; times in UTC. */
export type ScheduleLine = Awaited<ReturnType<typeof listSchedules>>[number];

/** A schedule: its view, its spec and what it runs. */
export type ShownSchedule = Awaited<ReturnType<typeof showSchedule>>;

/** When a schedule will fire, and what each firing would cost now. */
export type PreviewView = Awaited<ReturnType<typeof previewFirings>>;

/**
 * Results of a schedule's occurrences. `lost`: it was created here and could fire again, but Temporal does not know it.
 */
export type ScheduleCheck = Awaited<ReturnType<typeof checkSchedules>>['schedules'][number];

/** A schedule's budget for the current month. */
export type ScheduleMonth = NonNullable<ScheduleLine['month']>;

/** Max occurrences examined for a list. */
const MAX_COUNTED = 100;

/**
 * Lists all schedules of the ledger, by name. Also records occurrences that did not take place, if the user may write
 * to the ledger. Throws {@link VoxbatchError} (`schedule-silent`).
 */
export async function listSchedules(place: SchedulePlace) {
  const { ledger } = place;
  const batches = await ledger.listBatches();
  const lines = [];
  for (const name of await ledger.knownSchedules()) {
    const record = await ledger.scheduleRecord(name);
    const found = await describeIfThere(place, name);
    if (record === undefined) continue;
    const { spec, head } = await headInTemporal(ledger, record, found);
    const { unrecorded } =
      found !== undefined
        ? await surveySchedule(place, name, found)
        : head.lost
          ? NOTHING_FOUND
          : await surveyForgotten(place, record, { isLost: false });
    const range = { max: MAX_COUNTED };
    const occurrences = withUnrecorded(await ledger.occurrencesOf(name, range), unrecorded, range);
    const { newest, amissInARow } = recentOutcomes(occurrences);
    const made = batches.map((batch) => batch.name).filter((batch) => parseOccurrence(batch)?.schedule === name);
    lines.push({
      ...head,
      /** Name of the newest batch that it made. */
      last: made.sort().at(-1) ?? null,
      /** Whether a worker for its account is alive; without one, the schedule makes no batch. */
      worker: await hasWorker(place, record),
      month: await monthOfSchedule(ledger, name, spec),
      /** State, cause and exit code of the newest occurrence that is over or was skipped. */
      lastState: newest?.state ?? null,
      lastCause: newest?.cause ?? null,
      lastExitCode: newest?.exit == null ? null : EXIT_CODES[newest.exit].code,
      /** Number of occurrences that failed or were skipped since the last one that ended, among the 100 newest. */
      amissInARow,
    });
  }
  return lines;
}

/** Default number of occurrences shown. */
const SHOWN_OCCURRENCES = 10;

/**
 * Returns the details of a schedule; times in UTC. `run` is undefined if its record has a form that this version cannot
 * read. Also records occurrences that did not take place, if the user may write to the ledger. Throws
 * {@link VoxbatchError} (`no-schedule`, `schedule-lost`, `schedule-silent`).
 *
 * @param range which occurrences to show. Default: the latest ten
 */
export async function showSchedule(
  place: SchedulePlace,
  name: string,
  range: OccurrenceRange = { max: SHOWN_OCCURRENCES },
) {
  const record = await requireRecord(place, name);
  const found = await describe(place, name);
  const { info } = found;
  const { spec, head, isPausedByItself } = headOf(record, found);
  const { jitterMs, overlap, catchUpMs, pauseOnFailure, until, runs } = spec;
  const run = parseScheduledRun(record.settings.run);
  const { onEnd, notify } = await place.ledger.scheduleHooks(name);
  const view = {
    ...head,
    ...{ jitterMs, overlap, catchUpMs, pauseOnFailure },
    until: until === null ? null : utcSecond(until),
    runsLeft: runs,
    /** Without secrets. This and the next four are null if the record has a form that this version cannot read. */
    manifest: run === undefined ? null : labelOfPlace(run.manifest),
    /** Folder that gets a folder for each batch. */
    out: run?.outFolder ?? null,
    /** Credits of each run; null: no limit. */
    budget: run?.tunables.budget ?? null,
    confirm: run?.confirmAbove ?? null,
    cache: run?.tunables.cache ?? null,
    month: await monthOfSchedule(place.ledger, name, spec),
    onEnd,
    /** Its host: the path may be a secret. */
    notify: notify === null ? null : withoutPath(notify),
    worker: await hasWorker(place, record),
    /** Firings so far, triggers and backfills included, and those that did not take place. */
    fired: info.numActionsTaken,
    missed: info.numActionsMissedCatchupWindow,
    skippedOverlap: info.numActionsSkippedOverlap,
    /** The next ten firings, jitter included; while it is paused, those that it would have. */
    next: info.nextActionTimes.map((time) => utcSecond(time.getTime())),
    /** The requested occurrences, and those that may still take place; newest first. */
    occurrences: await occurrenceViews(place.ledger, name, await surveySchedule(place, name, found), range),
  };
  // One that would never fire again needs nobody to resume it.
  const pausedOnFailure = isPausedByItself && !(await isDone(place.ledger, record));
  return { view, spec, run, pausedOnFailure };
}

/**
 * Previews the firings of a schedule in a range, by default the next ten, and the price of each. Spends nothing. Throws
 * {@link VoxbatchError} (`no-schedule`, `schedule-silent`).
 *
 * @param options.account whose earlier results can be reused for free; undefined if unknown
 */
export async function previewFirings(
  place: SchedulePlace,
  name: string,
  { range, account }: { readonly range: TimeRange | undefined; readonly account: ScheduledLookUps['account'] },
) {
  const { view, run } = await showSchedule(place, name);
  const { schedule, timezone, paused, month } = view;
  const times = range === undefined ? view.next.map(Date.parse) : await previewSchedule(place, name, range);
  const lookUps = { ledger: place.ledger, account, identify: identifyMedia };
  return {
    schedule,
    timezone,
    paused,
    firings: times.map((at) => ({ at: utcSecond(at), local: timeInZone(at, timezone) })),
    each: run === undefined ? null : await priceScheduled(run, fetchManifest, lookUps, month),
    month,
  };
}

/** Which schedules to check, and how far back. */
export interface CheckRequest {
  /** Default: all. */
  readonly name?: string | undefined;
  /** Occurrences that were scheduled for this time or later, ms since 1970. */
  readonly since: number;
  /** Occurrences that a person's pause skipped are not reported. Default: false. */
  readonly isPauseFine?: boolean | undefined;
}

/**
 * Reports the results of all occurrences since a time, newest first, including those that could not fire because
 * nothing was running. `amiss`: the occurrence needs attention. Throws {@link VoxbatchError} (`no-schedule`,
 * `schedule-silent`).
 */
export async function checkSchedules(place: OpenSchedules, { name, since, isPauseFine }: CheckRequest) {
  const known = await place.ledger.knownSchedules();
  const check = async (schedule: string) => {
    const view = await occurrencesSince(place, schedule, since);
    if (view === undefined) return { schedule, lost: true as const };
    const { timezone, paused, pausedOnFailure, occurrences } = view;
    // A worker on record may have been killed moments ago.
    const worker = view.worker && !place.around.isDeserted;
    const checked = occurrences.map((one) => ({
      ...one,
      amiss: needsAttention(one, { hasWorker: worker, isPauseFine }),
    }));
    return {
      schedule,
      lost: false as const,
      timezone,
      paused,
      /** It has paused by itself, because an occurrence failed, which may be older than those here. */
      pausedOnFailure,
      worker,
      occurrences: checked,
    };
  };
  const schedules = [];
  for (const one of name === undefined ? known : [name]) schedules.push(await check(one));
  const strangers = name === undefined ? await unknownSchedulesIn(place) : [];
  const isFine = schedules.every(
    (one) => !one.lost && !one.pausedOnFailure && one.occurrences.every(({ amiss }) => !amiss),
  );
  return {
    inOrder: isFine && strangers.length === 0,
    schedules,
    /** Those of this ledger that only Temporal knows, where all were asked for: what they fire is refused. */
    strangers,
  };
}

/**
 * Reads a schedule's occurrences since a time. Undefined if Temporal has lost the schedule. Throws
 * {@link VoxbatchError} (`no-schedule`, `schedule-silent`).
 */
async function occurrencesSince(place: OpenSchedules, name: string, since: number) {
  const range = { from: since };
  try {
    const { view, pausedOnFailure } = await showSchedule(place, name, range);
    const { timezone, paused, worker, occurrences } = view;
    return { timezone, paused, pausedOnFailure, worker, occurrences };
  } catch (error) {
    if (!(error instanceof VoxbatchError) || error.problem.type !== 'schedule-lost') throw error;
    const record = await requireRecord(place, name);
    if (!(await isDone(place.ledger, record))) return undefined;
    const { timezone } = record.settings.spec;
    const surveyed = await surveyForgotten(place, record, { isLost: false });
    const occurrences = await occurrenceViews(place.ledger, name, surveyed, range);
    return { timezone, paused: false, pausedOnFailure: false, worker: await hasWorker(place, record), occurrences };
  }
}

/** Whether a worker for a schedule's account is alive. Throws {@link VoxbatchError} (`no-schedule`). */
export async function isAttended(place: SchedulePlace, name: string) {
  return hasWorker(place, await requireRecord(place, name));
}

async function hasWorker({ ledger }: SchedulePlace, { settings }: ScheduleRecord) {
  return (await ledger.livingWorkers(settings.apiUrl, settings.account)).length > 0;
}

/**
 * A time as clocks of a timezone show it, with the offset that distinguishes the two of an hour that comes twice: `Sun
 * 2026-10-25 02:30:00 +01:00`.
 */
export function timeInZone(at: number, timezone: string): string {
  const format = new Intl.DateTimeFormat('en-GB', {
    timeZone: timezone,
    hourCycle: 'h23',
    weekday: 'short',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    timeZoneName: 'longOffset',
  });
  const parts = new Map(format.formatToParts(at).map(({ type, value }) => [type, value]));
  const part = (type: Intl.DateTimeFormatPartTypes): string => parts.get(type) ?? '';
  const offset = part('timeZoneName').replace('GMT', '');
  const day = `${part('weekday')} ${part('year')}-${part('month')}-${part('day')}`;
  return `${day} ${part('hour')}:${part('minute')}:${part('second')} ${offset === '' || offset === '+00:00' ? 'UTC' : offset}`;
}
