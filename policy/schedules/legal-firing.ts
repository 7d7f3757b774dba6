import { formatDuration } from '../../contract/duration.ts';
import { isNominal } from './due-times.ts';
import type { ScheduleSpec } from './schedule-spec.ts';

/** What lets a schedule fire in a stretch of time. */
interface AllowedSpan {
  readonly id: number;
  /** Both ends included, ms since 1970. `until` null: it goes on. */
  readonly from: number;
  readonly until: number | null;
}

/**
 * Firings that the ledger allows. `due`: at the times of this spec, because the schedule was made, changed or resumed. `backfill`: somebody asked for
 * those of the past; `askedAt`: when, ms since 1970. `trigger`: somebody asked for one, at any time; `at`: when it fired, null: it has not. `isVoid`: it
 * allows nothing any more, because the schedule was paused or changed.
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

/** What the ledger knows of a schedule. */
export interface FiringRecords {
  readonly spec: ScheduleSpec;
  /** When that spec was set, ms since 1970. */
  readonly settledAt: number;
  readonly allowed: readonly AllowedFirings[];
  /** Those since `settledAt`, and those that may have run at the time of the firing; in any order. */
  readonly occurrences: readonly RecordedOccurrence[];
}

/**
 * What a firing is. `legal`: it may make a batch; `trigger`: by this one, which is used up then. `late`: it may not any more. `illegal`: nobody asked
 * for it. `reason` is a sentence.
 */
export type FiringVerdict =
  | { readonly type: 'legal'; readonly trigger?: number }
  | { readonly type: 'late' | 'illegal'; readonly reason: string };

/** A worker that comes within this time takes any firing, ms: starting one takes its time, and so does a rollout. */
const ALWAYS_IN_TIME_MS = 600_000;
/** Occurrences that were scheduled for longer ago are not asked whether they still run, or a firing had to wait for them, ms. */
export const LONGEST_RUN_MS = 31 * 86_400_000;
/** Clocks of the server and of those who write the ledger differ by less than this, ms. */
const CLOCKS_DIFFER_MS = 60_000;
/** A server that is busy takes a trigger within this time, ms. */
const TRIGGER_WITHIN_MS = 600_000;

/** What is backfilled begins within this time, or soon after a batch before it, ms: there may be many, and loading one takes its time. */
const BACKFILL_WITHIN_MS = 7 * 86_400_000;

/** The stretch in which a trigger of this moment may fire, ms since 1970. */
export function spanOfTrigger(now: number): { readonly from: number; readonly until: number } {
  return { from: now - CLOCKS_DIFFER_MS, until: now + TRIGGER_WITHIN_MS };
}

/**
 * Whether a schedule may fire for a time, ms since 1970, by the ledger alone: whoever reaches Temporal can start its workflow for any time. It is lenient
 * where an honest server may have fired: clocks differ, firings wait for a batch before them, for a server and for a worker.
 */
export function judgeFiring(at: number, now: number, records: FiringRecords): FiringVerdict {
  // It began before, as an activity that is repeated, or under an earlier version.
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
  // It has an overlap policy of its own, so it may have waited whatever that of the schedule is.
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

/** How often a schedule may still fire by itself; null: without a limit. `except`: the time that does not count. */
export function runsLeft(records: FiringRecords, except?: number): number | null {
  const { spec, settledAt, allowed, occurrences } = records;
  if (spec.runs === null) return null;
  const byHand = (at: number): boolean =>
    allowed.some((one) => (one.kind === 'trigger' ? one.at === at : one.kind === 'backfill' && isDueIn(one, at)));
  const own = occurrences.filter(
    ({ at, state }) => at > settledAt && at !== except && state !== 'skipped' && isNominal(at, spec) && !byHand(at),
  );
  return Math.max(0, spec.runs - own.length);
}

/**
 * Which times without an occurrence are due by the ledger, ms since 1970: the schedule was not paused here then, and had a run left. What fires at any
 * other is refused, whatever Temporal makes of it. Unlike for a firing, there is no slack for clocks: one that is legal by it has a line of its own.
 */
export function dueHere(records: FiringRecords): (at: number) => boolean {
  const { settledAt, allowed } = records;
  const hasRun = runsLeft(records) !== 0;
  return (at) => (hasRun || at <= settledAt) && allowed.some((one) => one.kind === 'due' && isDueIn(one, at));
}

/**
 * Occurrences from this time on decide whether a schedule may fire for `at`; both ms since 1970. What is backfilled may have waited for any of its
 * range, however rare its times are.
 */
export function firingLookBack(
  at: number,
  { spec, settledAt, allowed }: Pick<FiringRecords, 'spec' | 'settledAt' | 'allowed'>,
): number {
  const backfills = allowed.flatMap((one) =>
    one.kind === 'backfill' && !one.isVoid && at <= (one.until ?? Infinity) ? [one.from - one.spec.jitterMs] : [],
  );
  return Math.min(at - LONGEST_RUN_MS, spec.runs === null ? Infinity : settledAt, ...backfills);
}

/**
 * Why a firing comes too late: no worker took it within the schedule's catch-up time after the server had fired it. Undefined: it is in time.
 *
 * An embedded server fires whenever it runs, also for the moment of a command that looks at schedules. Its batch would be made, and paid for, when
 * somebody works here again, be that weeks later.
 */
export function whyTooLate(waitedMs: number, catchUpMs: number): string | undefined {
  if (waitedMs <= Math.max(catchUpMs, ALWAYS_IN_TIME_MS)) return undefined;
  return `It fired, and no worker took it within its catch-up time of ${formatDuration(catchUpMs)}.`;
}

/** Whether a time is a due time of an allowance, give or take a slack, ms. */
export function isDueIn(
  { from, until, spec }: Extract<AllowedFirings, { readonly spec: ScheduleSpec }>,
  at: number,
  slackMs = 0,
): boolean {
  // What was due shortly before comes in it, by its jitter.
  const isIn = isWithin({ from: from - spec.jitterMs - slackMs, until: until === null ? null : until + slackMs }, at);
  return isIn && (spec.until === null || at <= spec.until) && isNominal(at, spec);
}

function isWithin({ from, until }: Pick<AllowedSpan, 'from' | 'until'>, at: number): boolean {
  return at >= from && at <= (until ?? Infinity);
}

/** Whether what was backfilled comes in time: soon after it was asked for, or after a batch that it had to wait for. */
function isBackfilled(backfill: Backfill, at: number, now: number, { occurrences }: FiringRecords): boolean {
  const isRecent = (time: number): boolean => time >= now - BACKFILL_WITHIN_MS;
  if (isRecent(backfill.askedAt)) return true;
  return occurrences.some((one) => {
    const wasBefore = one.at <= backfill.askedAt || isDueIn(backfill, one.at);
    return wasBefore && one.at !== at && one.state !== 'skipped' && isRecent(one.endedAt ?? now);
  });
}

/** Whether a firing comes later than a server and a worker that were away for as long as they may be. */
function isLate(at: number, now: number, { occurrences }: FiringRecords, spec: ScheduleSpec): boolean {
  const { jitterMs, catchUpMs, overlap } = spec;
  const patienceMs = catchUpMs + Math.max(catchUpMs, ALWAYS_IN_TIME_MS) + CLOCKS_DIFFER_MS;
  if (now - at <= jitterMs + patienceMs) return false;
  if (overlap === 'skip' || overlap === 'allow') return true;
  // It waits for the batch that runs when it is due, and those that wait before it. Each ends right before the next begins.
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
