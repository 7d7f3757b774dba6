import type { Selectable } from 'kysely';
import { byItself } from '../../contract/actions.ts';
import { defined } from '../../contract/defined.ts';
import { currentExit } from '../../contract/exit-codes.ts';
import type { SkipCause } from '../../contract/schedule.ts';
import { formatOccurrence, parseOccurrence, type Occurrence } from '../../policy/schedules/occurrence.ts';
import type {
  OccurrenceBeginning,
  OccurrenceEnding,
  OccurrenceRange,
  OccurrenceRecord,
  Survey,
} from './occurrence-records.ts';
import { findBatch } from '../batches/read-batches.ts';
import { noteAction } from '../history/actions.ts';
import { addNotices } from '../notices/notices.ts';
import { pauseAfterFailure, scheduleHooks, useTrigger } from './schedule-settings.ts';
import type { Db, Tx } from '../schema.ts';
import type { OccurrencesTable } from '../tables/schedules.ts';
import { write } from '../database/transactions.ts';

/*
 * Occurrences: the times at which schedules are due, and what became of each.
 */

/** Deletes a schedule, which cannot fire from then on. Its occurrences stay on record. */
export async function forgetSchedule(db: Db, schedule: string, by = byItself(null)): Promise<void> {
  await write(db, async (tx) => {
    const gone = await tx.deleteFrom('schedules').where('name', '=', schedule).returning('name').executeTakeFirst();
    if (gone !== undefined) await noteAction(tx, by, { kind: 'delete-schedule', schedule });
    await tx.deleteFrom('allowed_firings').where('schedule', '=', schedule).execute();
  });
}

/** Returns the names of all schedules, in order. */
export async function knownSchedules(db: Db): Promise<readonly string[]> {
  const lines = await db.selectFrom('schedules').select('name').orderBy('name').execute();
  return lines.map(({ name }) => name);
}

/**
 * Records that an occurrence fires, as `running`. Replaces a skipped or failed record; one that is running or has ended
 * stays. Returns false, without any change, if its trigger was used for another time or is void.
 */
export async function beginOccurrence(
  db: Db,
  { schedule, at }: Occurrence,
  { out, trigger }: OccurrenceBeginning = {},
): Promise<boolean> {
  return write(db, async (tx) => {
    if (trigger !== undefined && !(await useTrigger(tx, trigger, at))) return false;
    const begun = {
      state: 'running',
      exit: null,
      cause: null,
      reason: null,
      ended_at: null,
      out: out ?? null,
    } as const;
    await tx
      .insertInto('occurrences')
      .values({ schedule, at, ...begun })
      .onConflict((conflict) =>
        conflict.columns(['schedule', 'at']).doUpdateSet(begun).where('occurrences.state', 'in', ['skipped', 'failed']),
      )
      .execute();
    // Completes a record of an earlier version, which has no folder.
    if (out !== undefined) {
      await tx
        .updateTable('occurrences')
        .set({ out })
        .where('schedule', '=', schedule)
        .where('at', '=', at)
        .where('out', 'is', null)
        .execute();
    }
    return true;
  });
}

/**
 * Records how an occurrence ended. The last call wins. `pauses`: its schedule pauses if it has newly failed. `out`: the
 * folder of its files; default: as on record.
 */
export async function endOccurrence(
  db: Db,
  occurrence: Occurrence,
  end: OccurrenceEnding,
  { pauses = false, out }: { readonly pauses?: boolean; readonly out?: string } = {},
): Promise<void> {
  await write(db, async (tx) => {
    const isNew = await endIn(tx, occurrence, end, out);
    if (pauses && isNew && end.type === 'failed') await pauseAfterFailure(tx, occurrence.schedule);
  });
}

/** Does the same in a transaction, with a notice if the occurrence made no batch. Returns whether its state is new. */
async function endIn(tx: Tx, { schedule, at }: Occurrence, end: OccurrenceEnding, out?: string): Promise<boolean> {
  const ended = { state: end.type, ...endColumns(end, tx.now()), ...defined({ out }) };
  const before = await findOccurrence(tx, { schedule, at });
  await tx
    .insertInto('occurrences')
    .values({ schedule, at, ...ended })
    .onConflict((conflict) => conflict.columns(['schedule', 'at']).doUpdateSet(ended))
    .execute();
  const isNew = before?.state !== end.type;
  if (isNew && end.type !== 'ended') await addOccurrenceNotice(tx, { schedule, at }, end);
  return isNew;
}

/**
 * Ends as failed the running occurrences whose batch is not completely loaded yet, so that none of them makes its
 * batch. `reason`: a sentence.
 */
export async function failBegun(tx: Tx, reason: string): Promise<void> {
  const begun = await tx.selectFrom('occurrences').select(['schedule', 'at']).where('state', '=', 'running').execute();
  for (const occurrence of begun) {
    const { state = 'loading' } = (await findBatch(tx, formatOccurrence(occurrence))) ?? {};
    if (state === 'loading') await endIn(tx, occurrence, { type: 'failed', exit: null, reason });
  }
}

/**
 * Adds the notice of an occurrence that failed or was skipped. None if a pause or the overlap policy skipped it, which
 * is deliberate, nor if it made a batch, which sends its own notices.
 */
async function addOccurrenceNotice(
  tx: Tx,
  { schedule, at }: Occurrence,
  end: Pick<OccurrenceEnding, 'type'> & { readonly cause?: SkipCause },
): Promise<void> {
  if (end.type === 'ended' || (end.type === 'skipped' && end.cause !== 'missed' && end.cause !== 'month-budget'))
    return;
  const batch = formatOccurrence({ schedule, at });
  const { state = 'loading' } = (await findBatch(tx, batch)) ?? {};
  if (state !== 'loading') return;
  await addNotices(tx, { batch, event: end.type, hooks: await scheduleHooks(tx, schedule), at: tx.now() });
}

function endColumns(
  end: OccurrenceEnding,
  now: number,
): Pick<Selectable<OccurrencesTable>, 'exit' | 'cause' | 'reason' | 'ended_at'> {
  switch (end.type) {
    case 'ended':
      return { exit: end.exit, cause: null, reason: null, ended_at: now };
    case 'failed':
      return { exit: end.exit, cause: null, reason: end.reason, ended_at: now };
    case 'skipped':
      return { exit: null, cause: end.cause, reason: end.reason, ended_at: null };
  }
}

/**
 * A schedule's batch names sort by time, but names of other batches may sort in between. Max names that are read to
 * find the schedule's previous batch.
 */
const MAX_BETWEEN = 100;

/** Records the version of the manifest behind an occurrence's batch, and whether it equals the previous batch's. */
export async function noteManifest(db: Db, { schedule, at }: Occurrence, etag: string | null): Promise<void> {
  const name = formatOccurrence({ schedule, at });
  await write(db, async (tx) => {
    const own = await tx.selectFrom('batches').select('digest').where('name', '=', name).executeTakeFirst();
    const earlier = await tx
      .selectFrom('batches')
      .select(['name', 'digest'])
      .where('name', '>=', formatOccurrence({ schedule, at: 0 }))
      .where('name', '<', name)
      .orderBy('name', 'desc')
      .limit(MAX_BETWEEN)
      .execute();
    const before = earlier.find((one) => parseOccurrence(one.name)?.schedule === schedule);
    const unchanged = own === undefined ? null : Number(own.digest === before?.digest);
    await tx
      .updateTable('occurrences')
      .set({ etag, unchanged })
      .where('schedule', '=', schedule)
      .where('at', '=', at)
      .execute();
  });
}

/** Records a survey of due times: occurrences that did not fire, unless they are on record, and how far it went. */
export async function noteSkips(db: Db, schedule: string, { skipped, until }: Survey): Promise<void> {
  await write(db, async (tx) => {
    // An outage may have missed one per minute for a month. Only the newest gets a notice; its reason gives the number.
    const newest = Math.max(...skipped.filter(({ cause }) => cause === 'missed').map(({ at }) => at));
    for (const { at, cause, reason } of skipped) {
      const { numInsertedOrUpdatedRows: isNew = 0n } = await tx
        .insertInto('occurrences')
        .values({ schedule, at, state: 'skipped', cause, reason })
        .onConflict((conflict) => conflict.columns(['schedule', 'at']).doNothing())
        .executeTakeFirstOrThrow();
      const isNotified = isNew > 0n && (cause !== 'missed' || at === newest);
      if (isNotified) await addOccurrenceNotice(tx, { schedule, at }, { type: 'skipped', cause });
    }
    await tx
      .updateTable('schedules')
      .set({ surveyed_until: until })
      .where('name', '=', schedule)
      .where('surveyed_until', '<', until)
      .execute();
  });
}

/** Reads the occurrences on record, the newest first. */
export async function occurrencesOf(
  db: Db,
  schedule: string,
  { from, max }: OccurrenceRange = {},
): Promise<readonly OccurrenceRecord[]> {
  let query = db.selectFrom('occurrences').selectAll().where('schedule', '=', schedule);
  if (from !== undefined) query = query.where('at', '>=', from);
  if (max !== undefined) query = query.limit(max);
  const lines = await query.orderBy('at', 'desc').execute();
  return lines.map(toRecord);
}

/** Reads the record of an occurrence; undefined if there is none. */
export async function findOccurrence(db: Db | Tx, { schedule, at }: Occurrence): Promise<OccurrenceRecord | undefined> {
  const line = await db
    .selectFrom('occurrences')
    .selectAll()
    .where('schedule', '=', schedule)
    .where('at', '=', at)
    .executeTakeFirst();
  return line === undefined ? undefined : toRecord(line);
}

function toRecord(line: Selectable<OccurrencesTable>): OccurrenceRecord {
  const { at, state, exit, cause, reason, ended_at: endedAt, etag, unchanged, out } = line;
  const isUnchanged = unchanged === null ? null : unchanged === 1;
  return { at, state, exit: currentExit(exit), cause, reason, endedAt, etag, isUnchanged, out };
}
