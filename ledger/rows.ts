import type { Compilable } from 'kysely';
import { byAttempt } from '../contract/batch.ts';
import { whyNotChosen } from '../policy/subset.ts';
import { requireBatch } from './batches.ts';
import { DuplicateKey, DuplicateRow, LedgerMisuse } from './errors.ts';
import type { ChargeRecord, LoadedRow, RowStanding } from './record-types.ts';
import { fromRow, toCharge, toRow } from './records.ts';
import type { Db, Tx } from './schema.ts';
import { look, write } from './transactions.ts';

/** Rows per INSERT: well under the database's limit of parameters. */
const ROWS_PER_INSERT = 500;

/** Adds all of these rows, or none. Throws {@link DuplicateRow}. */
export async function addRows(db: Db, batch: string, rows: readonly LoadedRow[]): Promise<void> {
  try {
    await write(db, async (tx) => {
      const { state, subset } = await requireBatch(tx, batch);
      if (state !== 'loading') throw new LedgerMisuse(`Batch "${batch}" is ${state}; rows are added while it loads.`);
      const now = Date.now();
      const notChosen = whyNotChosen(subset);
      for (let at = 0; at < rows.length; at += ROWS_PER_INSERT) {
        const lines = rows
          .slice(at, at + ROWS_PER_INSERT)
          .map((row) => fromRow(batch, row, now, row.isNotChosen === true ? notChosen : undefined));
        await tx.insertInto('rows').values(lines).execute();
      }
      await tx
        .updateTable('batches')
        .set((eb) => ({ rows: eb('rows', '+', rows.length) }))
        .where('name', '=', batch)
        .execute();
    });
  } catch (error) {
    throw error instanceof DuplicateKey ? new DuplicateRow(batch, error) : error;
  }
}

export async function readRow(db: Db, batch: string, row: number): Promise<RowStanding | undefined> {
  return look(db, async (tx) => (await readRows(tx, batch, [row]))[0]);
}

/** These rows with their charges, in manifest order; missing ones are left out. */
export async function readRows(tx: Tx, batch: string, rows: readonly number[]): Promise<readonly RowStanding[]> {
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
  return lines.map((line) => ({ row: toRow(line), charges: (byRow.get(line.row) ?? []).sort(byAttempt) }));
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

/** See {@link Ledger.rowsWithIds}. */
export async function rowsWithIds(db: Db, batch: string, ids: readonly string[]): Promise<readonly RowStanding[]> {
  if (ids.length === 0) return [];
  return look(db, async (tx) => {
    const found = await selectIds(tx, batch, ids).execute();
    return readRows(
      tx,
      batch,
      found.map(({ row }) => row),
    );
  });
}

/** The rows of a batch with these ids. Exported for the test of its query plan. */
export function selectIds(
  db: Db | Tx,
  batch: string,
  ids: readonly string[],
): Compilable & { execute(): Promise<{ row: number }[]> } {
  return db.selectFrom('rows').select('row').where('batch', '=', batch).where('id', 'in', ids);
}
