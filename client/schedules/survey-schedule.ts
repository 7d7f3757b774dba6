import { WorkflowNotFoundError, type ScheduleDescription } from '@temporalio/client';
import { exitOfBatch } from '../../batches/status/view-batch.ts';
import { firingIdOf, scheduleIdOf } from '../../contract/schedule.ts';
import { shellWord } from '../../contract/shell-word.ts';
import type { SkippedOccurrence } from '../../ledger/schedules/occurrence-records.ts';
import type { ScheduleRecord } from '../../ledger/schedules/schedule-settings.ts';
import { dueTimesBetween, isScheduledAt, nominalTimeOf } from '../../policy/schedules/due-times.ts';
import { dueHere, MAX_RUN_MS, isPausedHere, runsLeft } from '../../policy/schedules/legal-firing.ts';
import {
  countMissed,
  explainMissing,
  pausedBy,
  type DueTime,
  type ScheduleFacts,
} from '../../policy/schedules/missing-occurrence.ts';
import { formatOccurrence } from '../../policy/schedules/occurrence.ts';
import { askTemporal, describe, requireRecord, type SchedulePlace } from './open-schedules.ts';
import { currentStateOf } from './recorded-view.ts';
import { SurveyRecord, type Surveyed, type WaitingOccurrence } from './survey-record.ts';

/** A firing comes within this time after it is due, if a server is there, ms. */
const GRACE_MS = 10_000;

/**
 * Surveys a schedule: finds out what became of each of its due times since the last survey, and records it. Temporal
 * itself keeps no trace of a due time that did not fire. If this user may only read the ledger, nothing is recorded.
 * Throws {@link VoxbatchError} (`schedule-silent`).
 *
 * @param found the schedule's description from Temporal
 */
export async function surveySchedule(
  place: SchedulePlace,
  name: string,
  found: ScheduleDescription,
): Promise<Surveyed> {
  const record = new SurveyRecord(place.ledger, name);
  const waiting = await survey(place, record, found, GRACE_MS);
  return { waiting, unrecorded: record.unrecorded };
}

/**
 * Surveys page by page, because Temporal lists a limited number of due times. Returns those that may still take place.
 */
async function survey(
  place: SchedulePlace,
  findings: SurveyRecord,
  found: ScheduleDescription,
  graceMs: number,
): Promise<readonly WaitingOccurrence[]> {
  const name = findings.schedule;
  const now = Date.now();
  await endAbandoned(place, findings, now - MAX_RUN_MS);
  const record = await requireRecord(place, name);
  const state = { ...currentStateOf(record, found), now };
  const { spec, isPaused } = state;
  const until = isPaused ? now : now - graceMs;
  const waiting: WaitingOccurrence[] = [];
  const createdAt = found.info.createdAt.getTime();
  const surveyedUntil = Math.max(record.surveyedUntil, createdAt);
  // The server omits times that were scheduled before the requested range and fall into it only by their jitter.
  let from = surveyedUntil - spec.jitterMs;
  while (from < until) {
    const firings = await previewSchedule(place, name, { from: from + 1, to: until });
    const pageEnd = firings.length < MAX_PREVIEWED ? until : (firings.at(-1) ?? until);
    const due = firings
      .map((firesAt) => ({ at: nominalTimeOf(firesAt, spec), firesAt }))
      // Somebody may have changed the schedule in Temporal, so only times that fit the record count.
      .filter(({ at, firesAt }) => firesAt > surveyedUntil && at > createdAt && isScheduledAt(at, spec));
    const skipped = await surveyPage(place, findings, record, due, { ...state, from, waiting });
    // The next survey begins at the first due time that may still take place.
    const settledUntil = waiting[0] === undefined ? pageEnd : waiting[0].firesAt - 1;
    await findings.noteSkips({ skipped: countMissed(skipped), until: settledUntil });
    from = pageEnd;
  }
  return waiting;
}

/**
 * Surveys a schedule up to this moment, before it is paused, resumed, backfilled or changed: a later survey would judge
 * the past by the new state. Throws {@link VoxbatchError} (`no-schedule`, `schedule-silent`), and `LedgerForbidden` if
 * this user may only read the ledger.
 */
export async function surveyBeforeChange(place: SchedulePlace, name: string): Promise<void> {
  await survey(place, new SurveyRecord(place.ledger, name, true), await describe(place, name), 0);
}

/**
 * Surveys a schedule that Temporal does not have any more, up to this moment. `isLost`: Temporal should have it, and
 * none of its due times can still take place; else it has ended. Throws {@link VoxbatchError} (`schedule-silent`).
 */
export async function surveyForgotten(
  place: SchedulePlace,
  record: ScheduleRecord,
  { isLost }: { readonly isLost: boolean },
): Promise<Surveyed> {
  const findings = new SurveyRecord(place.ledger, record.name, isLost);
  const now = Date.now();
  await endAbandoned(place, findings, now - MAX_RUN_MS);
  const state = { ...currentStateOf(record, NOT_THERE), now, isLost };
  const { spec } = state;
  const waiting: WaitingOccurrence[] = [];
  const occurrences = await findings.occurrencesOf({ from: record.settledAt });
  const hasRun = runsLeft({ ...record, spec, occurrences }) !== 0;
  const until = Math.min(hasRun ? now : record.settledAt, spec.until ?? now);
  const madeAt = Math.min(...record.allowed.map((one) => (one.kind === 'due' ? one.from : Infinity)));
  let from = Math.max(record.surveyedUntil - spec.jitterMs, madeAt);
  while (from < until) {
    const due: DueTime[] = [];
    for (const at of dueTimesBetween(from, until, spec)) {
      due.push({ at, firesAt: at + spec.jitterMs });
      if (due.length === MAX_PREVIEWED) break;
    }
    const pageEnd = due.length < MAX_PREVIEWED ? until : (due.at(-1)?.at ?? until);
    const skipped = await surveyPage(place, findings, record, due, { ...state, from, waiting });
    await findings.noteSkips({
      skipped: countMissed(skipped),
      until: waiting[0] === undefined ? pageEnd : waiting[0].at - 1,
    });
    from = pageEnd;
  }
  return { waiting, unrecorded: findings.unrecorded };
}

/** The state of a schedule that is not in Temporal. */
const NOT_THERE = { state: { paused: false } };

const LOST = { type: 'skipped', cause: 'missed', reason: 'Temporal had lost the schedule.' } as const;

/** Surveys consecutive due times. Returns those that did not take place, and adds those that still may to `waiting`. */
async function surveyPage(
  place: SchedulePlace,
  findings: SurveyRecord,
  record: ScheduleRecord,
  due: readonly DueTime[],
  {
    from,
    waiting,
    isLost = false,
    ...state
  }: Omit<ScheduleFacts, 'runs' | 'buffered'> & {
    readonly from: number;
    readonly waiting: WaitingOccurrence[];
    readonly isLost?: boolean;
  },
): Promise<readonly SkippedOccurrence[]> {
  const { name, settings, settledAt } = record;
  const { spec } = settings;
  const records = await findings.occurrencesOf({
    from: Math.min(from - MAX_RUN_MS, spec.runs === null ? Infinity : settledAt),
  });
  const recorded = new Set(records.map(({ at }) => at));
  const unrecorded = due.filter(({ at }) => !recorded.has(at));
  const isDue = dueHere({ ...record, spec, occurrences: records });
  const missing = unrecorded.filter(({ at }) => isDue(at));
  const missingTimes = missing.map(({ at }) => at);
  const states = await firingStates(place, name, missingTimes);
  const scheduled = new Set(due.map(({ at }) => at));
  const runs = records.flatMap(({ at, state, endedAt }) =>
    state === 'skipped' ? [] : [{ at, until: endedAt, isScheduled: scheduled.has(at) }],
  );
  // While the ledger has the schedule paused, firings at the other times are refused, so they count as skipped.
  const refused = isPausedHere(record) ? unrecorded.filter((one) => !missing.includes(one)) : [];
  const skipped: SkippedOccurrence[] = refused.map(({ at }) => ({ at, ...pausedBy(state.note) }));
  // Firings that wait for a running batch to end.
  let buffered = waiting.length;
  for (const one of missing) {
    const { at } = one;
    const firing = states.get(at);
    if (firing === 'over') {
      await findings.fail(at, null, ENDED_FROM_OUTSIDE);
      continue;
    }
    if (firing === 'running') runs.push({ at, until: null, isScheduled: true });
    const gone = isLost ? LOST : undefined;
    const found = firing === 'running' ? NO_WORKER_YET : (gone ?? explainMissing(one, { ...state, runs, buffered }));
    if (found.type === 'skipped') skipped.push({ at, ...found });
    if (found.type !== 'waiting') continue;
    if (found.isBuffered) buffered += 1;
    waiting.push({ ...one, reason: found.reason });
  }
  return skipped;
}

const NO_WORKER_YET = { type: 'waiting', isBuffered: false, reason: 'No worker has taken it yet.' } as const;

/** Max concurrent queries for the states of firings. */
const QUERIES_AT_ONCE = 20;

/** State of a firing's workflow in Temporal. `none`: there was none, or Temporal has forgotten it. */
type FiringState = 'running' | 'over' | 'none';

/**
 * Reads the states of a schedule's firings for these times, by time. Throws {@link VoxbatchError} (`schedule-silent`).
 */
export async function firingStates(
  place: SchedulePlace,
  schedule: string,
  times: readonly number[],
): Promise<ReadonlyMap<number, FiringState>> {
  const states = new Map<number, FiringState>();
  const ask = async (at: number): Promise<unknown> => {
    const handle = place.temporal.client.workflow.getHandle(firingIdOf(place.ledger.id, schedule, at));
    try {
      const { status } = await askTemporal(place, undefined, () => handle.describe());
      return states.set(at, status.name === 'RUNNING' ? 'running' : 'over');
    } catch (error) {
      if (error instanceof WorkflowNotFoundError) return states.set(at, 'none');
      throw error;
    }
  };
  for (let first = 0; first < times.length; first += QUERIES_AT_ONCE) {
    await Promise.all(times.slice(first, first + QUERIES_AT_ONCE).map(ask));
  }
  return states;
}

/** Reason for a firing that ended without a batch. */
const ENDED_FROM_OUTSIDE = 'Its firing was ended from outside before it made a batch.';

/**
 * Ends occurrences since a time that are on record as running although their firing is over: somebody terminated it, or
 * Temporal's database is lost. A batch that still runs goes on by itself, and its occurrence with it. Throws
 * {@link VoxbatchError} (`schedule-silent`).
 */
async function endAbandoned(place: SchedulePlace, findings: SurveyRecord, since: number): Promise<void> {
  const { ledger } = place;
  const { schedule } = findings;
  const findRunning = async (): Promise<readonly number[]> =>
    (await ledger.occurrencesOf(schedule, { from: since })).flatMap(({ at, state }) =>
      state === 'running' ? [at] : [],
    );
  const states = await firingStates(place, schedule, await findRunning());
  if ([...states.values()].every((state) => state === 'running')) return;
  // A firing records its end before its workflow ends, so this second read omits those that were just ending.
  for (const at of await findRunning()) {
    const state = states.get(at);
    if (state === undefined || state === 'running') continue;
    const name = formatOccurrence({ schedule, at });
    const batch = await ledger.findBatch(name);
    if (batch?.state === 'open') continue;
    // Its loading was abandoned, and its budget would count against the whole month.
    if (batch?.state === 'loading') await findings.discardLoading(name);
    const hasEnded = batch?.state === 'closed';
    const exit = hasEnded ? ((await exitOfBatch(ledger, name)) ?? null) : null;
    const reason = hasEnded
      ? `Its firing was ended from outside, and its files may be missing. To write them: voxbatch results ${shellWord(name)}`
      : ENDED_FROM_OUTSIDE;
    await findings.fail(at, exit, reason);
  }
}

/** A range of times, ms since 1970, both ends included. */
export interface TimeRange {
  readonly from: number;
  readonly to: number;
}

/** Max times that Temporal returns at once. */
const MAX_PREVIEWED = 1_000;

/**
 * Lists the times in a range at which a schedule fires, jitter included, as Temporal computes them: at most
 * {@link MAX_PREVIEWED}. Ignores whether it is paused. Throws {@link VoxbatchError} (`no-schedule`,
 * `schedule-silent`).
 */
export async function previewSchedule(
  place: SchedulePlace,
  name: string,
  { from, to }: TimeRange,
): Promise<readonly number[]> {
  const { client, namespace } = place.temporal;
  // Temporal excludes the start of the range.
  const request = {
    namespace,
    scheduleId: scheduleIdOf(place.ledger.id, name),
    startTime: stampOf(from - 1_000),
    endTime: stampOf(to),
  };
  const { startTime } = await askTemporal(place, name, () => client.workflowService.listScheduleMatchingTimes(request));
  return startTime
    .map(({ seconds, nanos }) => Number(seconds ?? 0) * 1_000 + Math.floor((nanos ?? 0) / 1e6))
    .filter((at) => at >= from && at <= to);
}

/** A time as a protobuf timestamp. */
function stampOf(at: number): { seconds: Long; nanos: number } {
  return { seconds: Math.floor(at / 1_000) as unknown as Long, nanos: (at % 1_000) * 1e6 };
}
