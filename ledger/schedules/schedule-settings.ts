import type { Selectable } from 'kysely';
import { byItself, type By } from '../../contract/actions.ts';
import type { AllowedFirings } from '../../policy/schedules/legal-firing.ts';
import { PAUSED_BY_ITSELF } from '../../policy/schedules/missing-occurrence.ts';
import type { ScheduleSpec } from '../../policy/schedules/schedule-spec.ts';
import { noteAction } from '../history/actions.ts';
import type { Db, Tx } from '../schema.ts';
import type { AllowedFiringsTable } from '../tables/schedules.ts';
import { requireNoDoubt } from '../database/copy-doubts.ts';
import { write } from '../database/transactions.ts';
import type { ScheduleHooks } from '../../contract/schedule.ts';

/*
 * Settings of schedules, and when they may fire. A schedule fires only at times that the ledger allows (*allowances*):
 * its due times, a manual trigger, or a backfill. Temporal has only a copy of the times, which others could change.
 */

/** All settings of a schedule, besides its hooks, that decide what is spent, read or written. */
export interface ScheduleSettings {
  /** The run definition, parsed by `inputs/schedules/scheduled-run.ts`. */
  readonly run: unknown;
  readonly spec: ScheduleSpec;
  /** URL and account of the API that it charges. */
  readonly apiUrl: string;
  readonly account: string;
}

/** A schedule on record. */
export interface ScheduleRecord {
  readonly name: string;
  readonly settings: ScheduleSettings;
  /** Every due time up to this one is on record, ms since 1970. */
  readonly surveyedUntil: number;
  /** When its run or its times were last set, ms since 1970. */
  readonly settledAt: number;
  /** Why it was last paused or resumed here; null if never. */
  readonly note: string | null;
  /** Firings that are allowed, the newest first. */
  readonly allowed: readonly AllowedFirings[];
}

/** Firings to allow. Times are ms since 1970; `until` null: without end. */
export type NewAllowance =
  | {
      readonly kind: 'due';
      readonly from: number;
      readonly until: number | null;
      readonly spec: ScheduleSpec;
    }
  | {
      readonly kind: 'backfill';
      readonly from: number;
      readonly until: number;
      readonly spec: ScheduleSpec;
      readonly askedAt: number;
    }
  | { readonly kind: 'trigger'; readonly from: number; readonly until: number };

/**
 * Creates a schedule, or replaces its run and its times from `at` (ms) on. Due times by the new settings are allowed
 * from then on, unless the schedule is paused; former due times before `at` stay allowed. If the run changes, triggers
 * and backfills become void.
 */
export async function settleSchedule(
  db: Db,
  name: string,
  settings: ScheduleSettings,
  at: number,
  by = byItself(null),
): Promise<void> {
  const { run, spec, apiUrl, account } = settings;
  const columns = {
    run: JSON.stringify(run),
    spec: JSON.stringify(spec),
    api_url: apiUrl,
    account,
    settled_at: at,
  };
  await write(db, async (tx) => {
    const before = await tx.selectFrom('schedules').select('run').where('name', '=', name).executeTakeFirst();
    await tx
      .insertInto('schedules')
      .values({ name, surveyed_until: at, ...columns })
      .onConflict((conflict) => conflict.column('name').doUpdateSet(columns))
      .execute();
    // A paused schedule stays paused.
    const wasOpen = (await closeDue(tx, name, at)) || before === undefined;
    // Triggers and backfills were requested for the former run.
    if (before?.run !== columns.run) await voidRequested(tx, name, at);
    if (wasOpen) await insertAllowance(tx, name, { kind: 'due', from: at, until: null, spec });
    await noteAction(tx, by, { kind: 'set-schedule', schedule: name });
  });
}

/** Reads the record of a schedule; undefined if there is none. */
export async function scheduleRecord(db: Db, name: string): Promise<ScheduleRecord | undefined> {
  const line = await db.selectFrom('schedules').selectAll().where('name', '=', name).executeTakeFirst();
  if (line === undefined) return undefined;
  const allowances = await db
    .selectFrom('allowed_firings')
    .selectAll()
    .where('schedule', '=', name)
    .orderBy('id', 'desc')
    .execute();
  const { run, spec, api_url: apiUrl, account } = line;
  return {
    name,
    settings: { run: JSON.parse(run) as unknown, spec: JSON.parse(spec) as ScheduleSpec, apiUrl, account },
    surveyedUntil: line.surveyed_until,
    settledAt: line.settled_at,
    note: line.note,
    allowed: allowances.map(toAllowed),
  };
}

/** Converts a line. Its `at`: of a trigger, the time for which it was used; of a backfill, when it was requested. */
function toAllowed(line: Selectable<AllowedFiringsTable>): AllowedFirings {
  const { id, kind, from_at: from, until_at: until, spec, at } = line;
  const isVoid = line.voided_at !== null;
  if (kind === 'trigger' || spec === null) return { id, kind: 'trigger', from, until, at, isVoid };
  const range = { id, from, until, spec: JSON.parse(spec) as ScheduleSpec };
  return kind === 'due' ? { ...range, kind } : { ...range, kind, askedAt: at ?? 0, isVoid };
}

/** Pauses a schedule: disallows due times after `at` (ms), and voids its triggers and backfills. `note`: why. */
export async function pauseFirings(db: Db, name: string, at: number, note: string, by = byItself(null)): Promise<void> {
  await write(db, async (tx) => {
    await noteAction(tx, by, { kind: 'pause-schedule', schedule: name });
    await closeDue(tx, name, at);
    await voidRequested(tx, name, at);
    await setNote(tx, name, note);
  });
}

/**
 * Pauses a schedule because one of its due times has failed, unless it is paused already. Its triggers and backfills go
 * on, as Temporal lets them.
 */
export async function pauseAfterFailure(tx: Tx, name: string): Promise<void> {
  if (!(await closeDue(tx, name, tx.now()))) return;
  await noteAction(tx, byItself('an occurrence failed'), { kind: 'pause-schedule', schedule: name });
  await setNote(tx, name, PAUSED_BY_ITSELF);
}

/**
 * Pauses all schedules of an accepted copy, which may lack the last records. Also disallows due times before `at` (ms):
 * a firing that is not on record could make, and pay for, a batch that was made already. Returns the schedules that
 * were not paused before. `note`: why.
 */
export async function pauseAllFirings(tx: Tx, at: number, note: string, by: By): Promise<readonly string[]> {
  const due = await tx
    .deleteFrom('allowed_firings')
    .where('kind', '=', 'due')
    .returning(['schedule', 'until_at'])
    .execute();
  const open = due.flatMap(({ schedule, until_at: until }) => (until === null ? [schedule] : []));
  for (const { name } of await tx.selectFrom('schedules').select('name').execute()) await voidRequested(tx, name, at);
  for (const schedule of open) {
    await noteAction(tx, by, { kind: 'pause-schedule', schedule });
    await setNote(tx, schedule, note);
  }
  return open;
}

/** Resumes a schedule: allows due times from `at` (ms) on. `note`: why. Throws `CopyInDoubt`. */
export async function resumeFirings(
  db: Db,
  name: string,
  at: number,
  note: string,
  by = byItself(null),
): Promise<void> {
  await write(db, async (tx) => {
    const line = await tx.selectFrom('schedules').select('spec').where('name', '=', name).executeTakeFirst();
    if (line === undefined) return;
    await requireNoDoubt(tx, null);
    await noteAction(tx, by, { kind: 'resume-schedule', schedule: name });
    await closeDue(tx, name, at);
    await insertAllowance(tx, name, {
      kind: 'due',
      from: at,
      until: null,
      spec: JSON.parse(line.spec) as ScheduleSpec,
    });
    await setNote(tx, name, note);
  });
}

/** Allows firings that a person has requested. Returns the id of the allowance. */
export async function allowFirings(
  db: Db,
  name: string,
  allowance: NewAllowance,
  by = byItself(null),
): Promise<number> {
  return write(db, async (tx) => {
    const { kind, from } = allowance;
    // Due times are not recorded as an action here: those that set or resume a schedule do that.
    if (kind === 'trigger') await noteAction(tx, by, { kind, schedule: name });
    if (kind === 'backfill')
      await noteAction(tx, by, { kind, schedule: name, details: { range: { from, until: allowance.until } } });
    return insertAllowance(tx, name, allowance);
  });
}

/** Removes an allowance. Returns false, without any change, for a trigger that has fired. */
export async function withdrawFirings(db: Db, id: number, by = byItself(null)): Promise<boolean> {
  return write(db, async (tx) => {
    const gone = await tx
      .deleteFrom('allowed_firings')
      .where('id', '=', id)
      .where((eb) => eb.or([eb('kind', '!=', 'trigger'), eb('at', 'is', null)]))
      .returning(['schedule', 'kind'])
      .executeTakeFirst();
    if (gone !== undefined && gone.kind !== 'due')
      await noteAction(tx, by, { kind: 'withdraw', schedule: gone.schedule });
    return gone !== undefined;
  });
}

/** Uses a trigger for a scheduled time, ms. Returns false if it was used for another time, or is void. */
export async function useTrigger(tx: Tx, id: number, at: number): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('allowed_firings')
    .set({ at })
    .where('id', '=', id)
    .where('voided_at', 'is', null)
    .where((eb) => eb.or([eb('at', 'is', null), eb('at', '=', at)]))
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}

/** Ends the open allowance for due times at `at` (ms). Returns whether there was one. */
async function closeDue(tx: Tx, schedule: string, at: number): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('allowed_firings')
    .set({ until_at: at })
    .where('schedule', '=', schedule)
    .where('kind', '=', 'due')
    .where('until_at', 'is', null)
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}

/**
 * Voids triggers and backfills. Otherwise one that Temporal has dropped could still be used by anyone who can reach
 * Temporal. Includes used triggers: their firing continues, but must not start again after a failure.
 */
async function voidRequested(tx: Tx, schedule: string, at: number): Promise<void> {
  await tx
    .updateTable('allowed_firings')
    .set({ voided_at: at })
    .where('schedule', '=', schedule)
    .where('kind', 'in', ['trigger', 'backfill'])
    .where('voided_at', 'is', null)
    .execute();
}

async function setNote(tx: Tx, schedule: string, note: string): Promise<void> {
  await tx.updateTable('schedules').set({ note }).where('name', '=', schedule).execute();
}

async function insertAllowance(tx: Tx, schedule: string, allowance: NewAllowance): Promise<number> {
  const { kind, from, until } = allowance;
  const spec = allowance.kind === 'trigger' ? null : JSON.stringify(allowance.spec);
  const at = allowance.kind === 'backfill' ? allowance.askedAt : null;
  const { id } = await tx
    .insertInto('allowed_firings')
    .values({ schedule, kind, from_at: from, until_at: until, spec, at })
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

/** Sets hooks of an existing schedule; omitted ones stay as they are. */
export async function setScheduleHooks(
  db: Db,
  schedule: string,
  { onEnd, notify }: Partial<ScheduleHooks>,
): Promise<void> {
  if (onEnd === undefined && notify === undefined) return;
  const changes = { ...(onEnd === undefined ? {} : { on_end: onEnd }), ...(notify === undefined ? {} : { notify }) };
  await write(db, async (tx) => {
    await tx.updateTable('schedules').set(changes).where('name', '=', schedule).execute();
  });
}

/** Reads the hooks of a schedule; none if there is no such schedule. */
export async function scheduleHooks(db: Db | Tx, schedule: string): Promise<ScheduleHooks> {
  const line = await db
    .selectFrom('schedules')
    .select(['on_end', 'notify'])
    .where('name', '=', schedule)
    .executeTakeFirst();
  return { onEnd: line?.on_end ?? null, notify: line?.notify ?? null };
}
