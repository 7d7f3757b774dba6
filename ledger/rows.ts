import type { SelectQueryBuilder } from 'kysely';
import type { Outcome, RowState } from '../contract/outcomes.ts';
import { requireBatch } from './batches.ts';
import { DuplicateRow, LedgerMisuse } from './errors.ts';
import type { ChargeRecord, NewRow, RowEffect, RowRecord } from './ledger.ts';
import { fromRow, inOrder, jsonOrNull, toCharge, toRow } from './records.ts';
import { look, write, type ChargesTable, type Db, type Schema, type Tx } from './schema.ts';
import { isDuplicate } from './sqlite.ts';

export interface RowWithCharges {
  readonly row: RowRecord;
  readonly charges: readonly ChargeRecord[];
}

/** Rows of one INSERT: as many as fit well under the database's limit of parameters. */
const ROWS_PER_INSERT = 500;

/** Adds all of these rows, or none. Throws {@link DuplicateRow}. */
export async function addRows(db: Db, batch: string, rows: readonly NewRow[]): Promise<void> {
  try {
    await write(db, async (tx) => {
      const { state } = await requireBatch(tx, batch);
      if (state !== 'loading') throw new LedgerMisuse(`Batch "${batch}" is ${state}; rows are added while it loads.`);
      const now = Date.now();
      for (let at = 0; at < rows.length; at += ROWS_PER_INSERT) {
        const lines = rows.slice(at, at + ROWS_PER_INSERT).map((row) => fromRow(batch, row, now));
        await tx.insertInto('rows').values(lines).execute();
      }
      await tx
        .updateTable('batches')
        .set((eb) => ({ rows: eb('rows', '+', rows.length) }))
        .where('name', '=', batch)
        .execute();
    });
  } catch (error) {
    throw isDuplicate(error) ? new DuplicateRow(batch, error) : error;
  }
}

export async function readRow(db: Db, batch: string, row: number): Promise<RowWithCharges | undefined> {
  return look(db, async (tx) => (await readRows(tx, batch, [row]))[0]);
}

/** These rows with their charges, in manifest order; those that do not exist are left out. */
export async function readRows(tx: Tx, batch: string, rows: readonly number[]): Promise<readonly RowWithCharges[]> {
  if (rows.length === 0) return [];
  const lines = await tx
    .selectFrom('rows')
    .selectAll()
    .where('batch', '=', batch)
    .where('row', 'in', rows)
    .orderBy('row')
    .execute();
  const charges = await tx
    .selectFrom('charges')
    .selectAll()
    .where('batch', '=', batch)
    .where('row', 'in', rows)
    .execute();
  const byRow = new Map<number, ChargeRecord[]>(lines.map((line) => [line.row, []]));
  for (const line of charges) byRow.get(line.row)?.push(toCharge(line));
  return lines.map((line) => ({ row: toRow(line), charges: (byRow.get(line.row) ?? []).sort(inOrder) }));
}

export async function findRowById(db: Db, batch: string, id: string): Promise<number | undefined> {
  const found = await db
    .selectFrom('rows')
    .select('row')
    .where('batch', '=', batch)
    .where('id', '=', id)
    .executeTakeFirst();
  return found?.row;
}

export async function setRowState(db: Db, batch: string, row: number, state: RowState): Promise<void> {
  await write(db, (tx) => applyEffect(tx, batch, row, { state }));
}

export async function endRow(
  db: Db,
  batch: string,
  row: number,
  effect: Extract<RowEffect, { outcome: Outcome }>,
): Promise<void> {
  await write(db, (tx) => applyEffect(tx, batch, row, effect));
}

/** Changes an open row. A row that has ended stays as it is. */
export async function applyEffect(tx: Tx, batch: string, row: number, effect: RowEffect): Promise<void> {
  await tx
    .updateTable('rows')
    .set('outcome' in effect ? ending(effect) : { state: effect.state, updated_at: Date.now() })
    .where('batch', '=', batch)
    .where('row', '=', row)
    .where('outcome', 'is', null)
    .execute();
}

/**
 * The effect of an answer that came after all, on a row that may have been given up as `unknown`: such a row ends as the
 * answer says, or is open again, free for the next claim, and its batch with it. A row that ended otherwise stays as it is.
 */
export async function applyLateEffect(tx: Tx, batch: string, row: number, effect: RowEffect): Promise<void> {
  const { numUpdatedRows } = await tx
    .updateTable('rows')
    .set('outcome' in effect ? ending(effect) : reopening(effect.state))
    .where('batch', '=', batch)
    .where('row', '=', row)
    .where('outcome', '=', 'unknown')
    .executeTakeFirst();
  if (numUpdatedRows === 0n) {
    await applyEffect(tx, batch, row, effect);
  } else if (!('outcome' in effect)) {
    await tx
      .updateTable('batches')
      .set({ state: 'open', closed_at: null })
      .where('name', '=', batch)
      .where('state', '=', 'closed')
      .execute();
  }
}

/** Ends the open rows that have nothing on the wire, nothing in doubt and no unfinished job as `cancelled`. */
export async function cancelRest(db: Db, batch: string): Promise<number> {
  return write(db, async (tx) => {
    const { numUpdatedRows } = await tx
      .updateTable('rows')
      .set(ending({ outcome: 'cancelled' }))
      .where('batch', '=', batch)
      .where('outcome', 'is', null)
      .where('row', 'not in', busyRows(tx, batch))
      .executeTakeFirst();
    return Number(numUpdatedRows);
  });
}

/**
 * Rows with an attempt on the wire or in doubt, or a job that runs. Only the latest attempt of a step counts: what an earlier one left
 * behind is no longer waited for.
 */
function busyRows(tx: Tx, batch: string): SelectQueryBuilder<Schema & { c: ChargesTable }, 'c', { row: number }> {
  return tx
    .selectFrom('charges as c')
    .select('c.row')
    .where('c.batch', '=', batch)
    .where((eb) =>
      eb.or([
        eb('c.state', 'in', ['sending', 'unknown']),
        eb('c.state', '=', 'accepted').and('c.finished_at', 'is', null),
      ]),
    )
    .where((eb) =>
      eb.not(
        eb.exists(
          eb
            .selectFrom('charges as later')
            .select('later.row')
            .whereRef('later.batch', '=', 'c.batch')
            .whereRef('later.row', '=', 'c.row')
            .whereRef('later.step', '=', 'c.step')
            .where((on) =>
              on.or([
                on('later.take', '>', on.ref('c.take')),
                on('later.take', '=', on.ref('c.take')).and('later.attempt', '>', on.ref('c.attempt')),
              ]),
            ),
        ),
      ),
    );
}

function ending(effect: Extract<RowEffect, { outcome: Outcome }>): {
  outcome: Outcome;
  failure: string | null;
  file: string | null;
  extra_files: string | null;
  text: string | null;
  updated_at: number;
  ended_at: number;
} {
  const now = Date.now();
  return {
    outcome: effect.outcome,
    failure: jsonOrNull(effect.failure),
    file: jsonOrNull(effect.file),
    extra_files: jsonOrNull(effect.extraFiles),
    text: effect.text ?? null,
    updated_at: now,
    ended_at: now,
  };
}

function reopening(state: RowState): {
  state: RowState;
  outcome: null;
  failure: null;
  claim_run: null;
  claim: null;
  updated_at: number;
  ended_at: null;
} {
  return {
    state,
    outcome: null,
    failure: null,
    claim_run: null,
    claim: null,
    updated_at: Date.now(),
    ended_at: null,
  };
}
