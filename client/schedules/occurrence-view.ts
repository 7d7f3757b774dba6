import { exitOfBatch } from '../../batches/status/view-batch.ts';
import { EXIT_CODES } from '../../contract/exit-codes.ts';
import { utcSecond } from '../../contract/times.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { OccurrenceRange, OccurrenceRecord } from '../../ledger/schedules/occurrence-records.ts';
import { formatOccurrence } from '../../policy/schedules/occurrence.ts';
import { withUnrecorded, type Surveyed, type WaitingOccurrence } from './survey-record.ts';

/** An occurrence: a due time of a schedule, and its result. */
export type OccurrenceView = Awaited<ReturnType<typeof occurrenceViews>>[number];

const NO_BATCH = { exit: null, endedAt: null, cause: null, etag: null, isUnchanged: null, out: null };

/** Views the occurrences of a schedule, newest first: those on record, and those that a survey found in addition. */
export async function occurrenceViews(
  ledger: Ledger,
  schedule: string,
  { waiting, unrecorded }: Surveyed,
  range: OccurrenceRange,
) {
  const isAsked = ({ at }: WaitingOccurrence): boolean => at >= (range.from ?? 0);
  const due = waiting.filter(isAsked).map((one) => ({ ...NO_BATCH, ...one, state: 'waiting' as const }));
  const views = [];
  for (const one of [...due, ...withUnrecorded(await ledger.occurrencesOf(schedule, range), unrecorded, range)]) {
    views.push(await viewOf(ledger, schedule, one));
  }
  return views.sort((one, other) => (one.at < other.at ? 1 : -1));
}

async function viewOf(
  ledger: Ledger,
  schedule: string,
  one: Omit<OccurrenceRecord, 'state'> & { readonly state: 'waiting' | OccurrenceRecord['state'] },
) {
  const { at, state, cause, reason, etag, isUnchanged } = one;
  const batch = formatOccurrence({ schedule, at });
  const isThere = state !== 'skipped' && state !== 'waiting' && (await ledger.findBatch(batch)) !== undefined;
  const isOver = state === 'ended' || state === 'failed';
  const exit = isOver ? (one.exit ?? (await exitOfBatch(ledger, batch)) ?? null) : null;
  return {
    /** The time that it was scheduled for; UTC. */
    at: utcSecond(at),
    /** Name of its batch, also where it made none. */
    batch,
    /**
     * `waiting`: it may still take place. `failed`: it made no batch, its batch gave up, or its files could not be
     * written. `skipped`: it did not take place.
     */
    state,
    /** Its batch's exit code; null if the batch has not ended, or there is none. */
    exit,
    exitCode: exit === null ? null : EXIT_CODES[exit].code,
    /** Credits charged for its batch; null without one. */
    charged: isThere ? (await ledger.money(batch)).charged : null,
    /** Why it was skipped, as one word; null if it was not. */
    cause,
    /** Why it waits, failed or was skipped, as a sentence. */
    reason,
    /** The HTTP ETag of its manifest. */
    etag,
    /** Whether its manifest was the same as that of the batch before; null if it made no batch. */
    manifestUnchanged: isUnchanged,
  };
}
