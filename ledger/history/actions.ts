import type { SelectQueryBuilder } from 'kysely';
import type { ActionDetails, ActionKind, ActionRecord, By, RowRanges } from '../../contract/actions.ts';
import { valuesOf, type TunableName, type Tuning } from '../../contract/tunables.ts';
import { shownValue } from '../../contract/shown-value.ts';
import type { AnyValue } from '../../contract/value-kinds.ts';
import { hasRow, rangesOf } from '../../policy/history/row-ranges.ts';
import { changedTunables, type RecordedTunables } from '../../policy/tuning.ts';
import type { Db, Schema, Tx } from '../schema.ts';
import type { ActionsTable } from '../tables/history.ts';
import { jsonOrNull } from '../records.ts';

/*
 * The history: what was done to batches and schedules, by whom and why. Each function of the ledger that carries out an
 * action records it in the same transaction. An action that changes nothing is not recorded.
 */

/** An action to be recorded. */
export interface NewAction {
  readonly kind: ActionKind;
  readonly batch?: string;
  readonly schedule?: string;
  /** The rows that it is about. Default: no row in particular. */
  readonly rows?: readonly number[];
  readonly details?: ActionDetails;
}

/** Records an action, in the transaction that carries it out. */
export async function noteAction(tx: Tx, { actor, command, reason, credits }: By, action: NewAction): Promise<void> {
  const rows = action.rows === undefined ? undefined : rangesOf(action.rows);
  const details: ActionDetails = credits === undefined ? { ...action.details } : { ...action.details, credits };
  await tx
    .insertInto('actions')
    .values({
      command,
      at: tx.now(),
      kind: action.kind,
      batch: action.batch ?? null,
      schedule: action.schedule ?? null,
      actor_type: actor.type,
      actor: actor.name,
      reason,
      details: JSON.stringify(details),
      rows: jsonOrNull(rows),
      first_row: rows?.[0]?.[0] ?? null,
      last_row: rows?.at(-1)?.[1] ?? null,
    })
    .execute();
}

/** Which actions to read: those that meet all given conditions. */
export interface ActionQuery {
  /** Of one batch, or of one schedule. Default: all. */
  readonly batch?: string | undefined;
  readonly schedule?: string | undefined;
  /** Only those about any of these rows of the batch. */
  readonly rows?: readonly number[] | undefined;
  readonly kinds?: readonly ActionKind[] | undefined;
  /** Time range, ms since 1970; both ends included. */
  readonly from?: number | undefined;
  readonly until?: number | undefined;
  /** Only those with a higher number. */
  readonly after?: number | undefined;
}

/** Reads actions in the order in which they were carried out, the newest last. */
export async function actionsOf(db: Db, query: ActionQuery): Promise<readonly ActionRecord[]> {
  const { rows } = query;
  const lines = await selected(db.selectFrom('actions').selectAll(), query).orderBy('number').execute();
  const found = lines.map(toAction);
  // The query has compared only the first and the last row of each action.
  return rows === undefined ? found : found.filter((one) => rows.some((row) => hasRow(one.rows ?? [], row)));
}

/** Returns the number of the newest action; 0 if there is none. */
export async function lastAction(db: Db): Promise<number> {
  const { last } = await db
    .selectFrom('actions')
    .select(({ fn }) => fn.max<number | null>('number').as('last'))
    .executeTakeFirstOrThrow();
  return last ?? 0;
}

type Selecting = SelectQueryBuilder<Schema, 'actions', ReturnedLine>;
type ReturnedLine = Omit<ActionsTable, 'number'> & { readonly number: number };

function selected(lines: Selecting, { batch, schedule, rows, kinds, from, until, after }: ActionQuery): Selecting {
  let some = lines;
  if (batch !== undefined) some = some.where('batch', '=', batch);
  if (schedule !== undefined) some = some.where('schedule', '=', schedule);
  if (kinds !== undefined) some = some.where('kind', 'in', kinds);
  if (from !== undefined) some = some.where('at', '>=', from);
  if (until !== undefined) some = some.where('at', '<=', until);
  if (after !== undefined) some = some.where('number', '>', after);
  if (rows !== undefined && rows.length > 0)
    some = some.where('first_row', '<=', Math.max(...rows)).where('last_row', '>=', Math.min(...rows));
  return some;
}

function toAction(line: ReturnedLine): ActionRecord {
  const { number, command, at, kind, batch, schedule, actor_type: type, actor: name, reason, details, rows } = line;
  return {
    ...{ number, command, at, kind, batch, schedule, reason, actor: { type, name } },
    details: JSON.parse(details) as ActionDetails,
    rows: rows === null ? null : (JSON.parse(rows) as RowRanges),
  };
}

/** Returns the settings that a tuning changes, formatted for people; undefined if it changes none. */
export function changesBy(tuning: Tuning, before: RecordedTunables): ActionDetails['changed'] {
  const changed = Object.entries(valuesOf(changedTunables(tuning, before))) as [TunableName, AnyValue][];
  if (changed.length === 0) return undefined;
  const holds = valuesOf(before);
  return Object.fromEntries(
    changed.map(([name, to]) => [name, { from: shownValue(name, holds[name] ?? null), to: shownValue(name, to) }]),
  );
}
