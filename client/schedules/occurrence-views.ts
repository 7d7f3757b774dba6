import { exitOfView } from '../../batches/look/view-batch.ts';
import type { ExitName } from '../../contract/exit-codes.ts';
import type { SkipCause } from '../../contract/schedule.ts';
import type { OccurrenceRange, OccurrenceRecord } from '../../ledger/occurrence-records.ts';
import { formatOccurrence } from '../../policy/schedules/occurrence.ts';
import type { SchedulePlace } from './place.ts';
import type { WaitingOccurrence } from './survey-schedule.ts';

/** A time at which a schedule was due, and what came of it. */
export interface OccurrenceView {
  /** The time that it was scheduled for, ms since 1970. */
  readonly at: number;
  /** Name of its batch, also where it made none. */
  readonly batch: string;
  /**
   * `waiting`: it may still take place. `failed`: it made no batch, its batch gave up, or its files could not be written. `skipped`: it did
   * not take place.
   */
  readonly state: 'waiting' | OccurrenceRecord['state'];
  /** Why it waits, failed or was skipped: a sentence. */
  readonly reason?: string;
  /** Of one that was skipped. */
  readonly cause?: SkipCause;
  /** How its batch ended, or stands. */
  readonly exit?: ExitName;
  /** Credits that its batch was charged. */
  readonly charged?: number;
  /** How the server of its manifest named the version that it sent. */
  readonly etag?: string;
  /** Its manifest was that of the batch before. */
  readonly isUnchanged?: boolean;
}

/** Occurrences of a schedule, the newest first: those on record, and those that wait. */
export async function occurrenceViews(
  { ledger }: Pick<SchedulePlace, 'ledger'>,
  schedule: string,
  waiting: readonly WaitingOccurrence[],
  range: OccurrenceRange,
): Promise<readonly OccurrenceView[]> {
  const views: OccurrenceView[] = [];
  for (const { at, reason } of waiting.filter((one) => one.at >= (range.from ?? 0))) {
    views.push({ at, batch: formatOccurrence({ schedule, at }), state: 'waiting', reason });
  }
  for (const { at, state, exit, reason, cause, etag, isUnchanged } of await ledger.occurrencesOf(schedule, range)) {
    const batch = formatOccurrence({ schedule, at });
    const standing = state === 'skipped' ? undefined : await standingOf(ledger, batch);
    views.push({
      at,
      batch,
      state,
      ...(reason === null ? {} : { reason }),
      ...(cause === null ? {} : { cause }),
      ...standing,
      ...(exit === null ? {} : { exit }),
      ...(etag === null ? {} : { etag }),
      ...(isUnchanged === null ? {} : { isUnchanged }),
    });
  }
  return views.sort((one, other) => other.at - one.at);
}

/** How the batch of an occurrence stands; undefined if it has none. */
async function standingOf(
  ledger: SchedulePlace['ledger'],
  name: string,
): Promise<Pick<OccurrenceView, 'exit' | 'charged'> | undefined> {
  const batch = await ledger.findBatch(name);
  if (batch === undefined) return undefined;
  const [counts, { charged }] = [await ledger.counts(name), await ledger.money(name)];
  return { exit: exitOfView({ batch, counts }), charged };
}
