import type { SkipCause } from '../../contract/schedule.ts';
import { utcSecond, formatDuration } from '../../contract/duration.ts';
import type { ScheduleSpec } from './schedule-spec.ts';

/** A time at which a schedule was due, and has not fired. */
export interface DueTime {
  /** The time that it was scheduled for, ms since 1970. */
  readonly at: number;
  /** When it should have fired: the same, or up to the jitter later. */
  readonly firesAt: number;
}

/** An occurrence that takes place, or did. */
export interface OccurrenceRun {
  /** The time that it was scheduled for, ms since 1970. */
  readonly at: number;
  /** When it ended, ms since 1970; null: it has not. */
  readonly until: number | null;
  /** False if the schedule was not due then: somebody triggered it. */
  readonly isScheduled: boolean;
}

/** What is known of a schedule when one of its due times is looked at. */
export interface ScheduleStanding {
  readonly spec: ScheduleSpec;
  readonly isPaused: boolean;
  /** Why it is paused. */
  readonly note: string;
  /** Its occurrences that took place, in any order. */
  readonly runs: readonly OccurrenceRun[];
  /** Earlier due times that wait for the end of a run. */
  readonly buffered: number;
  readonly now: number;
}

/**
 * What is to be said of a due time without a firing. `skipped`: it will not take place; `reason` is a sentence. `waiting`: it still may; `isBuffered`:
 * it waits for the end of a run. `not-due`: the schedule had no run left.
 */
export type MissingOccurrence =
  | { readonly type: 'skipped'; readonly cause: SkipCause; readonly reason: string }
  | { readonly type: 'waiting'; readonly isBuffered: boolean; readonly reason: string }
  | { readonly type: 'not-due' };

/** A run ends for Temporal, which fires, a moment after it ends for the ledger, ms. */
const SLACK_MS = 10_000;

/**
 * Why a due time has no firing. Temporal counts those that it skips, and does not say which: this goes by the record of those that took place.
 */
export function explainMissing(due: DueTime, standing: ScheduleStanding): MissingOccurrence {
  const { spec, isPaused, note, runs, buffered, now } = standing;
  if (spec.runs === 0 && runs.every(({ at, isScheduled }) => at < due.at || !isScheduled)) return { type: 'not-due' };
  const before = runs.find(
    ({ at, until }) => at < due.at && (until === null || until + SLACK_MS > due.firesAt) && spec.overlap !== 'allow',
  );
  // A paused schedule does not come to its overlap policy. A run that ended after the due time may have been over before the pause.
  if (isPaused && (before?.until == null || before.until <= due.firesAt)) return pausedBy(note);
  const ends = before === undefined ? 0 : (before.until ?? Infinity) + SLACK_MS;
  if (before !== undefined && spec.overlap === 'cancel') {
    // Of those that wait for a batch to stop, Temporal fires the last one only.
    if (runs.some(({ at }) => at > due.at)) {
      const reason = `While the batch of ${utcSecond(before.at)} was being stopped, a later firing took the place of this one.`;
      return { type: 'skipped', cause: 'overlap', reason };
    }
    if (ends > now)
      return { type: 'waiting', isBuffered: true, reason: 'It waits until the batch before has stopped.' };
  } else if (before !== undefined) {
    const mayWait = spec.overlap === 'buffer-all' || (spec.overlap === 'buffer-one' && buffered === 0);
    if (mayWait && ends > now) {
      return { type: 'waiting', isBuffered: true, reason: 'It waits until the batch before has ended.' };
    }
    if (spec.overlap !== 'buffer-all') {
      const reason = `The batch of ${utcSecond(before.at)} still ran, and --overlap is ${spec.overlap}.`;
      return { type: 'skipped', cause: 'overlap', reason };
    }
  }
  if (isPaused) return pausedBy(note);
  if (due.firesAt + spec.catchUpMs >= now) {
    return { type: 'waiting', isBuffered: false, reason: 'It is due, and the server has not fired it yet.' };
  }
  const window = formatDuration(spec.catchUpMs);
  return { type: 'skipped', cause: 'missed', reason: `No server was there within its catch-up time of ${window}.` };
}

/** That a schedule was paused, with the note of that. */
export function pausedBy(note: string): Extract<MissingOccurrence, { readonly type: 'skipped' }> {
  if (BY_ITSELF.test(note)) {
    const reason = 'The schedule had paused by itself, because an occurrence failed.';
    return { type: 'skipped', cause: 'paused-on-failure', reason };
  }
  const why = note === '' ? '.' : `: ${note}`;
  return { type: 'skipped', cause: 'paused', reason: `The schedule was paused${why}` };
}

/**
 * Due times that were missed together, as an outage leaves them: the reason of the newest says how many there were,
 * because receivers hear of that one only. The others stay as they are.
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

/** How Temporal notes that it paused a schedule by itself, in its older and newer words; an id and the failure follow. */
const BY_ITSELF = /^paused due to workflow (?:failure|timeout)|^paused, workflow /;

/** The note of a schedule for people: without ids of Temporal's. */
export function noteInWords(note: string): string {
  return BY_ITSELF.test(note) ? 'an occurrence failed' : note;
}

/** What decides whether an occurrence is amiss, beside how it stands. */
export interface Watchfulness {
  readonly hasWorker: boolean;
  /** A pause by hand is known of, so what it skipped is in order. Default false. */
  readonly isPauseFine?: boolean | undefined;
}

/**
 * True if an occurrence is one that somebody should look after: it failed, did not take place, or stands still because no worker is there.
 */
export function isAmiss(
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

/** How a schedule has done of late, by its occurrences, the newest first: the newest that is over or was skipped, and how many were amiss since the last that ended. */
export function recentOutcomes<Occurrence extends { readonly state: 'running' | 'ended' | 'failed' | 'skipped' }>(
  occurrences: readonly Occurrence[],
): { readonly newest: Occurrence | undefined; readonly amissInARow: number } {
  const over = occurrences.filter(({ state }) => state !== 'running');
  const good = over.findIndex(({ state }) => state === 'ended');
  return { newest: over[0], amissInARow: good === -1 ? over.length : good };
}
