import type { SkipCause } from '../../contract/schedule.ts';
import { utcSecond, formatDuration } from '../../contract/times.ts';
import type { ScheduleSpec } from './schedule-spec.ts';

/** Explains why a schedule did not fire at a due time, and whether that needs a person's attention. */

/** A due time at which a schedule has not fired. */
export interface DueTime {
  /** Scheduled time, ms since 1970. */
  readonly at: number;
  /** When it should have fired: the same, or up to the jitter later. */
  readonly firesAt: number;
}

/** An occurrence that runs or has run. */
export interface OccurrenceRun {
  /** Scheduled time, ms since 1970. */
  readonly at: number;
  /** When it ended, ms since 1970; null while it runs. */
  readonly until: number | null;
  /** False if the schedule was not due then: somebody triggered it. */
  readonly isScheduled: boolean;
}

/** Facts about a schedule when one of its due times is examined. */
export interface ScheduleFacts {
  readonly spec: ScheduleSpec;
  readonly isPaused: boolean;
  /** The note of its latest pause. */
  readonly note: string;
  /** Its occurrences that took place, in any order. */
  readonly runs: readonly OccurrenceRun[];
  /** Earlier due times that wait for the end of a run. */
  readonly buffered: number;
  readonly now: number;
}

/**
 * Explanation of a due time without a firing. `skipped`: it will not take place; `reason` is a sentence. `waiting`: it
 * still may; `isBuffered`: it waits for a run to end. `not-due`: the schedule had no runs left.
 */
export type MissingOccurrence =
  | { readonly type: 'skipped'; readonly cause: SkipCause; readonly reason: string }
  | { readonly type: 'waiting'; readonly isBuffered: boolean; readonly reason: string }
  | { readonly type: 'not-due' };

/** Max delay between a run's end in the ledger and in Temporal, which then fires, ms. */
const SLACK_MS = 10_000;

/**
 * Explains a due time without a firing. Temporal counts the times that it skips, but does not say which, so this is
 * derived from the occurrences that ran.
 */
export function explainMissing(due: DueTime, facts: ScheduleFacts): MissingOccurrence {
  const { spec, isPaused, note, runs, buffered, now } = facts;
  if (spec.runs === 0 && runs.every(({ at, isScheduled }) => at < due.at || !isScheduled)) return { type: 'not-due' };
  const before = runs.find(
    ({ at, until }) => at < due.at && (until === null || until + SLACK_MS > due.firesAt) && spec.overlap !== 'allow',
  );
  // A pause precedes the overlap policy. But if a run lasted beyond the due time, the policy may have skipped that time
  // before the pause.
  if (isPaused && (before?.until == null || before.until <= due.firesAt)) return pausedBy(note);
  const ends = before === undefined ? 0 : (before.until ?? Infinity) + SLACK_MS;
  if (before !== undefined && spec.overlap === 'cancel') {
    // Temporal fires only the last of those that wait for a batch to stop.
    if (runs.some(({ at }) => at > due.at)) {
      const reason = `While the batch of ${utcSecond(before.at)} was being stopped, a later firing took the place of this one.`;
      return { type: 'skipped', cause: 'overlap', reason };
    }
    if (ends > now)
      return { type: 'waiting', isBuffered: true, reason: 'It waits until the batch before has stopped.' };
  } else if (before !== undefined) {
    const isFree = buffered === 0 && runs.filter((run) => wasThere(run, due)).length < 2;
    const mayWait = spec.overlap === 'buffer-all' || (spec.overlap === 'buffer-one' && isFree);
    if (mayWait && ends > now) {
      return { type: 'waiting', isBuffered: true, reason: 'It waits until the batch before has ended.' };
    }
    if (spec.overlap !== 'buffer-all') {
      const reason = `The batch of ${utcSecond(before.at)} still ran, and --overlap is ${spec.overlap}.`;
      return { type: 'skipped', cause: 'overlap', reason };
    }
  }
  if (isPaused) return pausedBy(note);
  if (spec.overlap === 'cancel' && runs.some((run) => tookPlaceOf(due, run, spec.catchUpMs))) {
    const reason = 'A later firing took the place of this one before it had begun.';
    return { type: 'skipped', cause: 'overlap', reason };
  }
  if (due.firesAt + spec.catchUpMs >= now) {
    return { type: 'waiting', isBuffered: false, reason: 'It is due, and the server has not fired it yet.' };
  }
  const window = formatDuration(spec.catchUpMs);
  return { type: 'skipped', cause: 'missed', reason: `No server was there within its catch-up time of ${window}.` };
}

/** Whether a run of an earlier due time ran, or waited for its turn, when this one was due. */
function wasThere({ at, until, isScheduled }: OccurrenceRun, due: DueTime): boolean {
  return isScheduled && at < due.at && (until === null || until > due.firesAt);
}

/**
 * Whether a run may have replaced a firing that had not begun: a Temporal server that is late handles several due times
 * at once, and under `cancel` it begins only the last of them. A due time beyond the catch-up time was missed before.
 */
function tookPlaceOf(due: DueTime, { at, isScheduled }: OccurrenceRun, catchUpMs: number): boolean {
  return isScheduled && at > due.at && at >= due.firesAt && at < due.firesAt + catchUpMs;
}

/** Returns the explanation for a paused schedule. `note`: the pause's note in Temporal. */
export function pausedBy(note: string): Extract<MissingOccurrence, { readonly type: 'skipped' }> {
  if (isByItself(note)) {
    const reason = 'The schedule had paused by itself, because an occurrence failed.';
    return { type: 'skipped', cause: 'paused-on-failure', reason };
  }
  const why = note === '' ? '.' : `: ${note}`;
  return { type: 'skipped', cause: 'paused', reason: `The schedule was paused${why}` };
}

/**
 * Adds to the newest missed due time how many others were missed with it, as in an outage, because hooks report only
 * the newest one. Returns all others unchanged.
 */
export function countMissed<S extends { readonly at: number; readonly cause: SkipCause; readonly reason: string }>(
  skipped: readonly S[],
): readonly S[] {
  const missed = skipped.filter(({ cause }) => cause === 'missed');
  if (missed.length < 2) return skipped;
  const newest = Math.max(...missed.map(({ at }) => at));
  const words = missed.length === 2 ? 'An earlier due time was' : `${String(missed.length - 1)} earlier due times were`;
  return skipped.map((one) =>
    one.cause === 'missed' && one.at === newest ? { ...one, reason: `${one.reason} ${words} missed with it.` } : one,
  );
}

/** The note of a schedule that the ledger has paused after a failure. */
export const PAUSED_BY_ITSELF = 'paused, because an occurrence failed';

/** How Temporal notes the same, in its older and newer words; an id and the failure follow. */
const BY_TEMPORAL = /^paused due to workflow (?:failure|timeout)|^paused, workflow /;

/** Whether a pause's note says that the schedule has paused by itself. */
function isByItself(note: string): boolean {
  return note === PAUSED_BY_ITSELF || BY_TEMPORAL.test(note);
}

/** Returns a schedule's note for people, without Temporal's ids. */
export function noteInWords(note: string): string {
  return isByItself(note) ? 'an occurrence failed' : note;
}

/** What decides, besides an occurrence's state, whether it needs attention. */
export interface Watchfulness {
  readonly hasWorker: boolean;
  /** True if a manual pause is acknowledged, so that occurrences it skipped are in order. Default false. */
  readonly isPauseFine?: boolean | undefined;
}

/** Whether an occurrence needs attention: it failed, did not take place, or is stalled because there is no worker. */
export function needsAttention(
  {
    state,
    cause,
  }: {
    readonly state: 'waiting' | 'running' | 'ended' | 'failed' | 'skipped';
    readonly cause: SkipCause | null;
  },
  { hasWorker, isPauseFine = false }: Watchfulness,
): boolean {
  if (state === 'skipped') return !(cause === 'paused' && isPauseFine);
  if (state === 'failed') return true;
  return state !== 'ended' && !hasWorker;
}

/**
 * Summarises a schedule's recent occurrences. `occurrences`: newest first. `newest`: the newest one that is over;
 * `amissInARow`: the number that failed or were skipped since the last one that ended normally.
 */
export function recentOutcomes<Occurrence extends { readonly state: 'running' | 'ended' | 'failed' | 'skipped' }>(
  occurrences: readonly Occurrence[],
): { readonly newest: Occurrence | undefined; readonly amissInARow: number } {
  const over = occurrences.filter(({ state }) => state !== 'running');
  const good = over.findIndex(({ state }) => state === 'ended');
  return { newest: over[0], amissInARow: good === -1 ? over.length : good };
}
