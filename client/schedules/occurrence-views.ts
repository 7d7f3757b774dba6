import { exitOfView } from '../../batches/look/view-batch.ts';
import { EXIT_CODES, type ExitName } from '../../contract/exit-codes.ts';
import type { SkipCause } from '../../contract/schedule.ts';
import { utcSecond } from '../../contract/utc-second.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { OccurrenceRange, OccurrenceRecord } from '../../ledger/schedules/occurrence-records.ts';
import { formatOccurrence } from '../../policy/schedules/occurrence.ts';

/** A time at which a schedule was due, and what came of it. */
export interface OccurrenceView {
  /** The time that it was scheduled for; UTC. */
  readonly at: string;
  /** Name of its batch, also where it made none. */
  readonly batch: string;
  /**
   * `waiting`: it may still take place. `failed`: it made no batch, its batch gave up, or its files could not be written. `skipped`: it did
   * not take place.
   */
  readonly state: 'waiting' | OccurrenceRecord['state'];
  /** How its batch ended; null: it has not, or there is none. */
  readonly exit: ExitName | null;
  readonly exitCode: number | null;
  /** Credits that its batch was charged; null: there is none. */
  readonly charged: number | null;
  /** Of one that was skipped. */
  readonly cause: SkipCause | null;
  /** Why it waits, failed or was skipped: a sentence. */
  readonly reason: string | null;
  /** How the server of its manifest named the version that it sent. */
  readonly etag: string | null;
  /** Its manifest was that of the batch before; null: it made no batch. */
  readonly manifestUnchanged: boolean | null;
}

/** An occurrence that is due, and may still take place. `at`: ms since 1970. */
export interface WaitingOccurrence {
  readonly at: number;
  readonly reason: string;
}

const NO_BATCH = { exit: null, exitCode: null, charged: null, cause: null, etag: null, manifestUnchanged: null };

/** Occurrences of a schedule, the newest first: those on record, and those that wait. */
export async function occurrenceViews(
  ledger: Ledger,
  schedule: string,
  waiting: readonly WaitingOccurrence[],
  range: OccurrenceRange,
): Promise<readonly OccurrenceView[]> {
  const views: OccurrenceView[] = waiting
    .filter(({ at }) => at >= (range.from ?? 0))
    .map(({ at, reason }) => ({ ...NO_BATCH, ...placeOf(schedule, at), state: 'waiting', reason }));
  for (const record of await ledger.occurrencesOf(schedule, range)) views.push(await viewOf(ledger, schedule, record));
  return views.sort((one, other) => (one.at < other.at ? 1 : -1));
}

async function viewOf(
  ledger: Ledger,
  schedule: string,
  { at, state, cause, reason, etag, ...record }: OccurrenceRecord,
): Promise<OccurrenceView> {
  const place = placeOf(schedule, at);
  const found = state === 'skipped' ? undefined : await ledger.findBatch(place.batch);
  const isOver = state === 'ended' || state === 'failed';
  const exit = isOver ? (record.exit ?? (await exitOfBatch(ledger, place.batch)) ?? null) : null;
  return {
    ...place,
    state,
    exit,
    exitCode: exit === null ? null : EXIT_CODES[exit].code,
    charged: found === undefined ? null : (await ledger.money(place.batch)).charged,
    cause,
    reason,
    etag,
    manifestUnchanged: record.isUnchanged,
  };
}

function placeOf(schedule: string, at: number): Pick<OccurrenceView, 'at' | 'batch'> {
  return { at: utcSecond(at), batch: formatOccurrence({ schedule, at }) };
}

/** How a batch ended, or stands; undefined if there is none. */
export async function exitOfBatch(ledger: Ledger, name: string): Promise<ExitName | undefined> {
  const batch = await ledger.findBatch(name);
  return batch === undefined ? undefined : exitOfView({ batch, counts: await ledger.counts(name) });
}
