import { exitOfBatch } from '../../batches/status/view-batch.ts';
import { EXIT_CODES, type ExitName } from '../../contract/exit-codes.ts';
import { utcSecond } from '../../contract/times.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { OccurrenceRange, OccurrenceRecord } from '../../ledger/schedules/occurrence-records.ts';
import { formatOccurrence } from '../../policy/schedules/occurrence.ts';
import { withUnrecorded, type Surveyed, type WaitingOccurrence } from './survey-record.ts';

type ExitCode = (typeof EXIT_CODES)[ExitName]['code'];
type OccurrenceState = 'waiting' | OccurrenceRecord['state'];

/** An occurrence: a due time of a schedule, and its result. */
export interface OccurrenceView {
  /** The time that it was scheduled for; UTC. */
  readonly at: string;
  /** Name of its batch, also where it made none. */
  readonly batch: string;
  /**
   * `waiting`: it may still take place. `failed`: it made no batch, its batch gave up, or its files could not be
   * written. `skipped`: it did not take place.
   */
  readonly state: OccurrenceState;
  /** Its batch's exit code; null if the batch has not ended, or there is none. */
  readonly exit: ExitName | null;
  readonly exitCode: ExitCode | null;
  /** Credits charged for its batch; null without one. */
  readonly charged: number | null;
  /** Why it was skipped, as one word; null if it was not. */
  readonly cause: OccurrenceRecord['cause'];
  /** Why it waits, failed or was skipped, as a sentence. */
  readonly reason: string | null;
  /** The HTTP ETag of its manifest. */
  readonly etag: string | null;
  /** Whether its manifest was the same as that of the batch before; null if it made no batch. */
  readonly manifestUnchanged: boolean | null;
}

/** The facts of an occurrence that has no batch yet. */
const NO_BATCH = { exit: null, endedAt: null, cause: null, etag: null, isUnchanged: null, out: null };

/**
 * Returns the occurrences of a schedule, newest first: those on record, and those that a survey of the schedule found
 * in addition (`survey-schedule.ts` compares the record with Temporal): occurrences that may still take place, and
 * findings that this user may not record.
 */
export async function occurrenceViews(
  ledger: Ledger,
  schedule: string,
  { waiting, unrecorded }: Surveyed,
  range: OccurrenceRange,
): Promise<readonly OccurrenceView[]> {
  // `range.most` limits only the occurrences on record.
  const isInRange = ({ at }: WaitingOccurrence): boolean => at >= (range.from ?? 0);
  const due = waiting.filter(isInRange).map((one) => ({ ...NO_BATCH, ...one, state: 'waiting' as const }));
  const views: OccurrenceView[] = [];
  for (const one of [...due, ...withUnrecorded(await ledger.occurrencesOf(schedule, range), unrecorded, range)]) {
    views.push(await viewOf(ledger, schedule, one));
  }
  return views.sort((one, other) => (one.at < other.at ? 1 : -1));
}

async function viewOf(
  ledger: Ledger,
  schedule: string,
  one: Omit<OccurrenceRecord, 'state'> & { readonly state: OccurrenceState },
): Promise<OccurrenceView> {
  const { at, state, cause, reason, etag, isUnchanged } = one;
  const batch = formatOccurrence({ schedule, at });
  const isThere = state !== 'skipped' && state !== 'waiting' && (await ledger.findBatch(batch)) !== undefined;
  const isOver = state === 'ended' || state === 'failed';
  const exit = isOver ? (one.exit ?? (await exitOfBatch(ledger, batch)) ?? null) : null;
  return {
    at: utcSecond(at),
    batch,
    state,
    exit,
    exitCode: exit === null ? null : EXIT_CODES[exit].code,
    charged: isThere ? (await ledger.money(batch)).charged : null,
    cause,
    reason,
    etag,
    manifestUnchanged: isUnchanged,
  };
}
