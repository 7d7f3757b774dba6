import { formatDuration } from '../../contract/times.ts';
import { isScheduledAt } from './due-times.ts';
import type { ScheduleSpec } from './schedule-spec.ts';

/**
 * Whether a schedule's firing may create a batch. Anyone who can reach Temporal can start a schedule's workflow for any
 * time, so the ledger records which firings are allowed, and each firing is checked against these records.
 */

/** A time span in which a schedule may fire. */
interface AllowedSpan {
  readonly id: number;
  /** Both ends inclusive, ms since 1970. `until` is null while the span is open. */
  readonly from: number;
  readonly until: number | null;
}

/**
 * Firings that the ledger allows. `due`: at the times of this spec, since the schedule was created, changed or resumed.
 * `backfill`: requested firings in the past; `askedAt`: when they were requested, ms since 1970. `trigger`: one
 * requested firing at any time; `at`: when it fired, null until then. `isVoid`: no longer allows anything, because the
 * schedule was paused or changed.
 */
export type AllowedFirings =
  | (AllowedSpan & { readonly kind: 'due'; readonly spec: ScheduleSpec })
  | (AllowedSpan & {
      readonly kind: 'backfill';
      readonly spec: ScheduleSpec;
      readonly askedAt: number;
      readonly isVoid: boolean;
    })
  | (AllowedSpan & { readonly kind: 'trigger'; readonly at: number | null; readonly isVoid: boolean });

type Backfill = Extract<AllowedFirings, { readonly kind: 'backfill' }>;

/** An occurrence that is on record. */
export interface RecordedOccurrence {
  readonly at: number;
  readonly state: 'running' | 'ended' | 'failed' | 'skipped';
  readonly endedAt: number | null;
}

/** The ledger's records of a schedule. */
export interface FiringRecords {
  readonly spec: ScheduleSpec;
  /** When that spec was set, ms since 1970. */
  readonly settledAt: number;
  readonly allowed: readonly AllowedFirings[];
  /** Occurrences since `settledAt`, and those that may have been running when the firing came; in any order. */
  readonly occurrences: readonly RecordedOccurrence[];
}

/**
 * Verdict on a firing. `legal`: it may create a batch; `trigger`: the trigger it uses up. `late`: no longer allowed.
 * `illegal`: never requested. `reason` is a sentence.
 */
export type FiringVerdict =
  | { readonly type: 'legal'; readonly trigger?: number }
  | { readonly type: 'late' | 'illegal'; readonly reason: string };

/**
 * A firing picked up by a worker within this time is never late, ms: starting a worker takes time, and so does a
 * rollout.
 */
const ALWAYS_IN_TIME_MS = 600_000;
/** Occurrences scheduled longer ago than this are assumed neither to be running nor to have delayed a firing, ms. */
export const MAX_RUN_MS = 31 * 86_400_000;
/** Clocks of the server and of those who write the ledger differ by less than this, ms. */
const CLOCKS_DIFFER_MS = 60_000;
/** A busy server accepts a trigger within this time, ms. */
const TRIGGER_WITHIN_MS = 600_000;

/**
 * A backfilled firing begins within this time of the request, or of the end of a batch before it, ms: there may be
 * many, and loading each takes time.
 */
const BACKFILL_WITHIN_MS = 7 * 86_400_000;

/** Returns the time span in which a trigger requested now may fire, ms since 1970. */
export function spanOfTrigger(now: number): { readonly from: number; readonly until: number } {
  return { from: now - CLOCKS_DIFFER_MS, until: now + TRIGGER_WITHIN_MS };
}

/**
 * Decides whether a schedule may fire for the scheduled time `at`; both times are ms since 1970. Lenient where an
 * honest server may have fired: clocks differ, and firings wait for an earlier batch, a server or a worker.
 */
export function judgeFiring(at: number, now: number, records: FiringRecords): FiringVerdict {
  // It has already begun: a retried activity, or a firing of an earlier version.
  if (records.occurrences.some((one) => one.at === at && one.state === 'running')) return { type: 'legal' };
  if (at > now + CLOCKS_DIFFER_MS) return illegal('it lies in the future');
  const backfills = records.allowed.flatMap((one) =>
    one.kind === 'backfill' && !one.isVoid && isDueIn(one, at) ? one : [],
  );
  if (backfills.some((one) => isBackfilled(one, at, now, records))) return { type: 'legal' };
  const judged = judgeDue(at, now, records);
  const [forgotten] = backfills;
  const due = judged.type === 'illegal' && forgotten !== undefined ? late(forgotten.spec) : judged;
  if (due.type === 'legal') return due;
  const trigger = records.allowed.find(
    (one) => one.kind === 'trigger' && !one.isVoid && isWithin(one, at) && (one.at === null || one.at === at),
  );
  if (trigger === undefined) return due;
  // A trigger has its own overlap policy, so it may have waited whatever the schedule's policy.
  const isOver = isLate(at, now, records, { ...records.spec, overlap: 'buffer-all' });
  return isOver ? late(records.spec) : { type: 'legal', trigger: trigger.id };
}

function judgeDue(at: number, now: number, records: FiringRecords): FiringVerdict {
  const dues = records.allowed.flatMap((one) => (one.kind === 'due' && isDueIn(one, at, CLOCKS_DIFFER_MS) ? one : []));
  const [due] = dues;
  if (due === undefined) return illegal('the schedule is not due then, and nobody has asked for it');
  const { runs } = records.spec;
  if (runs !== null && at > records.settledAt && runsLeft(records, at) === 0) return illegal('no run of it is left');
  return dues.every(({ spec }) => isLate(at, now, records, spec)) ? late(due.spec) : { type: 'legal' };
}

/**
 * Whether a schedule pauses if the occurrence of `at` (ms since 1970) fails. False for a trigger or a backfill: only
 * Temporal knows its overlap policy, and pauses the schedule if that is not `allow`.
 */
export function pausesOnFailure(at: number, { spec, allowed }: Pick<FiringRecords, 'spec' | 'allowed'>): boolean {
  if (!spec.pauseOnFailure || spec.overlap === 'allow' || isByHand(at, allowed, null)) return false;
  return allowed.some((one) => one.kind === 'due' && isDueIn(one, at, CLOCKS_DIFFER_MS));
}

/** Returns how often a schedule may still fire on its own; null for no limit. `except`: an occurrence not to count. */
export function runsLeft(records: FiringRecords, except?: number): number | null {
  const { spec, settledAt, allowed, occurrences } = records;
  if (spec.runs === null) return null;
  const own = occurrences.filter(
    ({ at, state, endedAt }) =>
      at > settledAt &&
      at !== except &&
      state !== 'skipped' &&
      isScheduledAt(at, spec) &&
      !isByHand(at, allowed, endedAt),
  );
  return Math.max(0, spec.runs - own.length);
}

/** Whether a trigger or a backfill has fired the occurrence of `at`, or may have. `endedAt`: null while it runs. */
function isByHand(at: number, allowed: readonly AllowedFirings[], endedAt: number | null): boolean {
  return allowed.some((one) => {
    if (one.kind === 'trigger') return one.at === at;
    return one.kind === 'backfill' && isDueIn(one, at) && (endedAt ?? Infinity) >= one.askedAt;
  });
}

/**
 * Whether a schedule never fires again on its own: its last time has passed, or no run is left. Temporal deletes such a
 * schedule after some days, so a schedule that is missing there may be in order.
 */
export function isOver(records: FiringRecords, now: number): boolean {
  const { until } = records.spec;
  return (until !== null && until < now) || runsLeft(records) === 0;
}

/** Whether a schedule is paused according to the ledger, which then allows none of its due times. */
export function isPausedHere({ allowed }: Pick<FiringRecords, 'allowed'>): boolean {
  return !allowed.some(({ kind, until }) => kind === 'due' && until === null);
}

/**
 * Returns a predicate for times (ms since 1970) without an occurrence: whether the ledger allowed a firing then,
 * because the schedule was not paused and had a run left. Without slack for clock differences: a firing that is legal
 * only by that slack has a record of its own.
 */
export function dueHere(records: FiringRecords): (at: number) => boolean {
  const { settledAt, allowed } = records;
  const hasRun = runsLeft(records) !== 0;
  return (at) => (hasRun || at <= settledAt) && allowed.some((one) => one.kind === 'due' && isDueIn(one, at));
}

/**
 * Returns since when occurrences are needed to judge a firing for `at`; both ms since 1970. A backfilled firing may
 * have waited for any other firing of its range.
 */
export function firingLookBack(
  at: number,
  { spec, settledAt, allowed }: Pick<FiringRecords, 'spec' | 'settledAt' | 'allowed'>,
): number {
  const backfills = allowed.flatMap((one) =>
    one.kind === 'backfill' && !one.isVoid && at <= (one.until ?? Infinity) ? [one.from - one.spec.jitterMs] : [],
  );
  return Math.min(at - MAX_RUN_MS, spec.runs === null ? Infinity : settledAt, ...backfills);
}

/**
 * Returns why a firing is too late: no worker picked it up within the schedule's catch-up time. Undefined if it is in
 * time. `waitedMs`: time from firing to pick-up.
 *
 * An embedded server fires whenever it runs, even during a command that only lists schedules. Without this check, the
 * batch would be created and paid for when a worker next runs here, perhaps weeks later.
 */
export function lateReason(waitedMs: number, catchUpMs: number): string | undefined {
  if (waitedMs <= Math.max(catchUpMs, ALWAYS_IN_TIME_MS)) return undefined;
  return `It fired, and no worker took it within its catch-up time of ${formatDuration(catchUpMs)}.`;
}

/** Whether a time is a due time in an allowed span. `slackMs`: tolerance at both ends of the span. */
export function isDueIn(
  { from, until, spec }: Extract<AllowedFirings, { readonly spec: ScheduleSpec }>,
  at: number,
  slackMs = 0,
): boolean {
  // A firing due shortly before the span may arrive in it because of its jitter.
  const isIn = isWithin({ from: from - spec.jitterMs - slackMs, until: until === null ? null : until + slackMs }, at);
  return isIn && (spec.until === null || at <= spec.until) && isScheduledAt(at, spec);
}

function isWithin({ from, until }: Pick<AllowedSpan, 'from' | 'until'>, at: number): boolean {
  return at >= from && at <= (until ?? Infinity);
}

/** Whether a backfilled firing is in time: soon after it was requested, or after a batch it had to wait for. */
function isBackfilled(backfill: Backfill, at: number, now: number, { occurrences }: FiringRecords): boolean {
  const isRecent = (time: number): boolean => time >= now - BACKFILL_WITHIN_MS;
  if (isRecent(backfill.askedAt)) return true;
  return occurrences.some((one) => {
    const wasBefore = one.at <= backfill.askedAt || isDueIn(backfill, one.at);
    return wasBefore && one.at !== at && one.state !== 'skipped' && isRecent(one.endedAt ?? now);
  });
}

/** Whether a firing is later than the longest permitted absence of server and worker explains. */
function isLate(at: number, now: number, { occurrences }: FiringRecords, spec: ScheduleSpec): boolean {
  const { jitterMs, catchUpMs, overlap } = spec;
  const patienceMs = catchUpMs + Math.max(catchUpMs, ALWAYS_IN_TIME_MS) + CLOCKS_DIFFER_MS;
  if (now - at <= jitterMs + patienceMs) return false;
  if (overlap === 'skip' || overlap === 'allow') return true;
  // It waits for the batch running when it is due, and for those queued before it. Each ends right before the next
  // begins.
  const others = occurrences.filter((one) => one.at !== at && one.state !== 'skipped');
  const hadToWait = others.some((one) => one.at < at && (one.endedAt === null || one.endedAt >= at));
  return !(hadToWait && others.some(({ endedAt }) => endedAt === null || endedAt >= now - patienceMs));
}

function late({ catchUpMs }: ScheduleSpec): FiringVerdict {
  return { type: 'late', reason: `It fired later than its catch-up time of ${formatDuration(catchUpMs)} allows.` };
}

function illegal(why: string): FiringVerdict {
  return { type: 'illegal', reason: `The ledger does not allow this firing: ${why}. Nothing was spent.` };
}
