import type { ScheduleDescription } from '@temporalio/client';
import type { SkippedOccurrence } from '../../ledger/schedules/occurrence-records.ts';
import type { ScheduleRecord } from '../../ledger/schedules/schedule-records.ts';
import { dueHere, LONGEST_RUN_MS } from '../../policy/schedules/legal-firing.ts';
import {
  countMissed,
  explainMissing,
  pausedBy,
  type DueTime,
  type ScheduleStanding,
} from '../../policy/schedules/missing-occurrence.ts';
import { isNominal, nominalTimeOf } from '../../policy/schedules/due-times.ts';
import { endAbandoned, ENDED_FROM_OUTSIDE, firingStates } from './firings.ts';
import type { WaitingOccurrence } from './occurrence-views.ts';
import { describe, type SchedulePlace } from './place.ts';
import { MOST_PREVIEWED, previewSchedule } from './preview-schedule.ts';
import { isPausedHere, pauseToShow, requireRecord, specToShow } from './require-settings.ts';

/** A firing comes within this time after it is due, if a server is there, ms. */
const GRACE_MS = 10_000;

/**
 * Puts on record what became of each time at which a schedule was due since it was last surveyed, as it was described: one that did not take place
 * leaves no trace in Temporal. Returns those that may still take place, the oldest first. Throws {@link VoxbatchError} (`schedule-silent`).
 */
export function surveySchedule(
  place: SchedulePlace,
  name: string,
  described: ScheduleDescription,
): Promise<readonly WaitingOccurrence[]> {
  return survey(place, name, described, GRACE_MS);
}

/**
 * The same, to be done before a schedule is paused, resumed, backfilled or changed, up to this moment: the next survey goes by how the schedule
 * stands then. Also throws {@link VoxbatchError} (`no-schedule`).
 */
export async function surveyBeforeChange(place: SchedulePlace, name: string): Promise<void> {
  await survey(place, name, await describe(place, name), 0);
}

async function survey(
  place: SchedulePlace,
  name: string,
  found: ScheduleDescription,
  graceMs: number,
): Promise<readonly WaitingOccurrence[]> {
  const { ledger } = place;
  const now = Date.now();
  await endAbandoned(place, name, now - LONGEST_RUN_MS);
  const known = (await ledger.knownSchedules()).find((schedule) => schedule.name === name);
  const record = await requireRecord(place, name);
  const pause = pauseToShow(record, found);
  const until = pause.isPaused ? now : now - graceMs;
  const standing = { spec: specToShow(record, found), ...pause, now };
  const waiting: WaitingOccurrence[] = [];
  const createdAt = found.info.createdAt.getTime();
  const surveyedUntil = Math.max(known?.surveyedUntil ?? 0, createdAt);
  // The server leaves out what was scheduled before the range that it is asked for, and comes in it by its jitter.
  let from = surveyedUntil - standing.spec.jitterMs;
  let settledUntil: number | undefined;
  while (from < until) {
    const firings = await previewSchedule(place, name, { from: from + 1, to: until });
    const pageEnd = firings.length < MOST_PREVIEWED ? until : (firings.at(-1) ?? until);
    const due = firings
      .map((firesAt) => ({ at: nominalTimeOf(firesAt, standing.spec), firesAt }))
      // Temporal's copy of the times may be another's.
      .filter(({ at, firesAt }) => firesAt > surveyedUntil && at > createdAt && isNominal(at, standing.spec));
    const page = await surveyPage(place, record, due, { ...standing, buffered: waiting.length, from });
    waiting.push(...page.waiting);
    settledUntil ??= page.unsettledFrom === undefined ? undefined : page.unsettledFrom - 1;
    await ledger.noteSkips(name, { skipped: countMissed(page.skipped), until: settledUntil ?? pageEnd });
    from = pageEnd;
  }
  return waiting;
}

interface PageStanding extends Omit<ScheduleStanding, 'runs'> {
  readonly from: number;
}

interface SurveyedPage {
  readonly skipped: readonly SkippedOccurrence[];
  readonly waiting: readonly WaitingOccurrence[];
  /** When the first should have fired that may still take place. */
  readonly unsettledFrom: number | undefined;
}

/** Looks at due times that follow each other. */
async function surveyPage(
  place: SchedulePlace,
  record: ScheduleRecord,
  due: readonly DueTime[],
  { from, ...standing }: PageStanding,
): Promise<SurveyedPage> {
  const { ledger } = place;
  const { name, settings, settledAt, allowed } = record;
  const isCounted = (settings?.spec.runs ?? null) !== null;
  const records = await ledger.occurrencesOf(name, {
    from: Math.min(from - LONGEST_RUN_MS, isCounted ? settledAt : Infinity),
  });
  const recorded = new Set(records.map(({ at }) => at));
  const unrecorded = due.filter(({ at }) => !recorded.has(at));
  const isDue =
    settings === undefined ? () => true : dueHere({ spec: settings.spec, settledAt, allowed, occurrences: records });
  const missing = unrecorded.filter(({ at }) => isDue(at));
  const scheduled = new Set(due.map(({ at }) => at));
  const states = await firingStates(
    place,
    name,
    missing.map((one) => one.at),
  );
  const runs = records.flatMap(({ at, state, endedAt }) =>
    state === 'skipped' ? [] : [{ at, until: endedAt, isScheduled: scheduled.has(at) }],
  );
  // What Temporal fires at the others is refused, and its end is none of the schedule's.
  const refused = isPausedHere(record) ? unrecorded.filter((one) => !missing.includes(one)) : [];
  const skipped: SkippedOccurrence[] = refused.map(({ at }) => ({ at, ...wordsOf(pausedBy(standing.note)) }));
  const waiting: WaitingOccurrence[] = [];
  let { buffered } = standing;
  let unsettledFrom: number | undefined;
  for (const one of missing) {
    const { at, firesAt } = one;
    const state = states.get(at);
    if (state === 'over') {
      await ledger.endOccurrence({ schedule: name, at }, { type: 'failed', exit: null, reason: ENDED_FROM_OUTSIDE });
      continue;
    }
    if (state === 'running') runs.push({ at, until: null, isScheduled: true });
    const found = state === 'running' ? TAKEN_BY_NOBODY : explainMissing(one, { ...standing, runs, buffered });
    if (found.type === 'skipped') skipped.push({ at, ...wordsOf(found) });
    if (found.type !== 'waiting') continue;
    if (found.isBuffered) buffered += 1;
    waiting.push({ at, reason: found.reason });
    unsettledFrom ??= firesAt;
  }
  return { skipped, waiting, unsettledFrom };
}

const TAKEN_BY_NOBODY = { type: 'waiting', isBuffered: false, reason: 'No worker has taken it yet.' } as const;

function wordsOf({ cause, reason }: ReturnType<typeof pausedBy>): Pick<SkippedOccurrence, 'cause' | 'reason'> {
  return { cause, reason };
}
