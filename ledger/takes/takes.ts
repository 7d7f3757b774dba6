import { ofRow } from '../conditions.ts';
import { prepared, preparedWrite } from '../database/prepared.ts';
import type { RowKey } from '../rows/line-changes.ts';
import type { TakeReason } from '../../contract/outcomes.ts';
import { stepsIn, type Step, type RowSpec } from '../../contract/row-kinds.ts';
import { keptTake } from '../../policy/redrive/earlier-take.ts';
import { jsonOrNull } from '../records.ts';
import { fromSpec, toRow, SPEC_COLUMNS, toSpec, type NewRow, type RowRecord } from '../rows/row-records.ts';
import type { Fallback } from '../rows/row-effects.ts';
import type { RowInTransaction } from '../rows/row-in-transaction.ts';
import type { Db, Tx } from '../schema.ts';
import { takes } from '../tables/rows.ts';
import type { AttemptKey } from '../../contract/batch.ts';
import { type TakeRecord, toTake } from './take-records.ts';

/*
 * Takes: deliberate new tries of a row, at a new price. Only this file creates takes, and each one once: if several
 * callers ask at the same time, one creates it and the others find the row open.
 */

/** A take to be made. */
export interface NewTake {
  readonly reason: TakeReason;
  /** The first step that it pays for. */
  readonly fromStep: Step;
  /** The row before it. */
  readonly before: Omit<TakeRecord['before'], 'standing'>;
  /** The ending if the take brings nothing better. Default: none. */
  readonly fallback?: Fallback | undefined;
  /** The row's new input; default: unchanged. */
  readonly edited?: Pick<NewRow, 'spec' | 'input' | 'quoted'>;
}

/** Opens a row for its next take. Steps before `fromStep` keep their results. The row stays with its lane. */
export async function makeTake(loaded: RowInTransaction, take: NewTake): Promise<void> {
  const { tx, line: row } = loaded;
  const now = tx.now();
  const next = row.take + 1;
  const [first] = stepsIn({ kind: row.kind });
  await tx
    .insertInto('takes')
    .values({
      batch: row.batch,
      row: row.row,
      take: next,
      reason: take.reason,
      from_step: take.fromStep,
      made_at: now,
      before: JSON.stringify({ ...take.before, standing: positionOf(toRow(row)) }),
    })
    .execute();
  await loaded.change({
    take: next,
    redo_from: take.fromStep === first ? null : take.fromStep,
    state: 'waiting',
    outcome: null,
    failure: null,
    file: null,
    extra_files: null,
    text: null,
    wait_since: null,
    promised: 0,
    accepted_take: take.fromStep === first ? null : keptTake(toRow(row), loaded.attempts),
    returned_to: null,
    fallback: jsonOrNull(take.fallback),
    updated_at: now,
    ended_at: null,
    ...(take.edited === undefined
      ? {}
      : {
          ...fromSpec(take.edited.spec),
          input: JSON.stringify(take.edited.input),
          quoted: take.edited.quoted,
          // The row now speaks with another voice, which is ready.
          ...(take.edited.spec.voice === toRow(row).spec.voice ? {} : { voice_row: null, awaits: null }),
        }),
  });
}

function positionOf({ redoFrom, acceptedTake, returnedTo }: RowRecord): TakeRecord['before']['standing'] {
  return { redoFrom, acceptedTake, returnedTo };
}

/** Reads the takes of a row after the first, oldest first. */
export async function takesOf(db: Db | Tx, batch: string, row: number): Promise<readonly TakeRecord[]> {
  const lines = await selectTakes(db, { batch, row });
  return lines.map(toTake);
}

type TakeKey = Pick<AttemptKey, 'batch' | 'row' | 'take'>;

const subjectOf = ({ batch, row }: RowKey): string => `takes:${batch}/${row}`;

const selectTakes = prepared(
  (db, { batch, row }: RowKey) =>
    db.selectFrom('takes').selectAll().where('batch', '=', batch).where('row', '=', row).orderBy('take'),
  subjectOf,
);

/** Removes the record of a take. */
export const removeTake = preparedWrite(
  takes,
  (db, { batch, row, take }: TakeKey) =>
    db.deleteFrom('takes').where('batch', '=', batch).where('row', '=', row).where('take', '=', take),
  (key) => [subjectOf(key)],
);

/** Reads a row's request as it was at a take; undefined if there is no such row. */
export async function specAt(db: Db | Tx, key: TakeKey): Promise<RowSpec | undefined> {
  const line = await db
    .selectFrom('rows')
    .select([...SPEC_COLUMNS, 'take'])
    .where(ofRow(key))
    .executeTakeFirst();
  if (line === undefined) return undefined;
  const before = key.take < line.take ? await specBefore(db, key) : undefined;
  return before ?? toSpec(line);
}

/** Reads a row's request as it was at a take, if a later take has changed it; else undefined. */
export async function specBefore(db: Db | Tx, { batch, row, take }: TakeKey): Promise<RowSpec | undefined> {
  const takes = await takesOf(db, batch, row);
  return takes.find((later) => later.take > take && later.before.spec !== undefined)?.before.spec;
}
