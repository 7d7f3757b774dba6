import type { SelectQueryBuilder } from 'kysely';
import { byAttempt } from '../../contract/batch.ts';
import { defined } from '../../contract/defined.ts';
import { notChosenFailure } from '../../policy/subset/subset.ts';
import { requireLoaded } from '../batches/read-batches.ts';
import { setBatch } from '../batches/set-batch.ts';
import { isPart } from '../conditions.ts';
import { DuplicateKey, DuplicateRow, LedgerMisuse } from '../errors.ts';
import { type ChargeRecord, toCharge } from '../requests/charge-records.ts';
import { type LoadedRow, type RowSnapshot, toRow } from './row-records.ts';
import type { Loading } from '../batches/batch-records.ts';
import { fromParts, fromRow } from './new-rows.ts';
import { prepared, preparedEach } from '../database/prepared.ts';
import { readSnapshot, write } from '../database/transactions.ts';
import { unitAdapterOf } from '../database/unit-adapter.ts';
import type { Db, RowLine, Schema, Tx } from '../schema.ts';
import { chargesOf, lineOf, type RowKey } from './line-changes.ts';

/*
 * Adds rows to a batch, and reads rows with their charges: by number, by id, or as the parts of a split row.
 */

/** Rows per INSERT: well below each database's limit of parameters. */
const ROWS_PER_INSERT = 500;

/**
 * Adds rows to a batch that is being loaded: all of these, or none. Throws {@link DuplicateRow} for a duplicate id or
 * number, and `LoadTakenOver` if another process has taken over the loading of the batch.
 */
export async function addRows(db: Db, loading: Loading, rows: readonly LoadedRow[]): Promise<void> {
  const { batch } = loading;
  try {
    await write(db, async (tx) => {
      const { state, subset, number: loaded, rows: before } = await requireLoaded(tx, loading);
      if (state !== 'loading') throw new LedgerMisuse(`Batch "${batch}" is ${state}; rows are added while it loads.`);
      const context = { batch, loaded, now: tx.now() };
      const notChosen = notChosenFailure(subset);
      const lines = rows.flatMap((row) => {
        const ending = row.isNotChosen === true ? notChosen : undefined;
        return [fromRow(context, row, ending), ...fromParts(context, row, ending)];
      });
      for (let at = 0; at < lines.length; at += ROWS_PER_INSERT) {
        await tx
          .insertInto('rows')
          .values(lines.slice(at, at + ROWS_PER_INSERT))
          .execute();
      }
      await setBatch(tx, batch, { rows: before + rows.length });
    });
  } catch (error) {
    throw error instanceof DuplicateKey ? new DuplicateRow(batch, error) : error;
  }
}

/** Reads a row with its charges; undefined if there is none. */
export async function readRow(db: Db, batch: string, row: number): Promise<RowSnapshot | undefined> {
  return readSnapshot(db, async (tx) => (await readRows(tx, batch, [row]))[0]);
}

/** Reads rows with their charges, in manifest order; missing ones are left out. */
export async function readRows(tx: Tx, batch: string, rows: readonly number[]): Promise<readonly RowSnapshot[]> {
  return withCharges(tx, await readLines(tx, batch, rows));
}

/** Reads the lines of rows, in manifest order; missing ones are left out. */
export async function readLines(tx: Tx, batch: string, rows: readonly number[]): Promise<readonly RowLine[]> {
  const keys = keysOf(batch, rows);
  const lines = await (isSpan(tx, keys) ? selectSpan(tx, spanOf(keys)) : selectLines(tx, keys));
  return lines.toSorted((one, other) => one.row - other.row);
}

/** Reads the charges of these rows, all of one batch. */
export async function withCharges(tx: Tx, lines: readonly RowLine[]): Promise<readonly RowSnapshot[]> {
  const byRow = new Map<number, ChargeRecord[]>(lines.map((line) => [line.row, []]));
  const charges = await (isSpan(tx, lines) ? selectChargesOfSpan(tx, spanOf(lines)) : selectChargesOf(tx, lines));
  for (const line of charges) byRow.get(line.row)?.push(toCharge(line));
  const inParts = lines.filter(({ parts }) => parts !== null);
  const ofParts = await chargesOfParts(tx, inParts);
  const firsts = new Map((await selectFirstParts(tx, inParts)).map(({ whole, first }) => [whole, first]));
  return lines.map((line) => ({
    row: toRow(line),
    charges: ofParts.get(line.row) ?? (byRow.get(line.row) ?? []).sort(byAttempt),
    ...defined({ firstPart: firsts.get(line.row) }),
  }));
}

const keysOf = (batch: string, rows: readonly number[]): readonly RowKey[] => rows.map((row) => ({ batch, row }));

/** Selects the lines of rows. Exported for the test of its query plan, too. */
export const selectLines = preparedEach(lineOf);
/** Selects the charges of rows: those of all their attempts. Exported for the test of its query plan, too. */
export const selectChargesOf = preparedEach(chargesOf);

/** Consecutive rows of a batch, both ends included. */
interface Span {
  readonly batch: string;
  readonly first: number;
  readonly last: number;
}

/** Fewer rows than this are read one by one as quickly. */
const MIN_IN_SPAN = 20;

/**
 * Whether these rows are consecutive and many, as in a scan, and the database is SQLite, which then reads them with one
 * range query in less than half the time. On PostgreSQL, {@link preparedEach} always reads them with one statement.
 */
function isSpan(tx: Tx, keys: readonly RowKey[]): boolean {
  const [first, last] = [keys[0]?.row ?? 0, keys.at(-1)?.row ?? 0];
  return (
    keys.length >= MIN_IN_SPAN &&
    last - first === keys.length - 1 &&
    unitAdapterOf(tx) === undefined &&
    keys.every(({ row }, at) => row === first + at)
  );
}

function spanOf(keys: readonly RowKey[]): Span {
  return { batch: keys[0]?.batch ?? '', first: keys[0]?.row ?? 0, last: keys.at(-1)?.row ?? 0 };
}

const selectSpan = prepared((db: Db | Tx, { batch, first, last }: Span) =>
  db.selectFrom('rows').selectAll().where('batch', '=', batch).where('row', '>=', first).where('row', '<=', last),
);
const selectChargesOfSpan = prepared((db: Db | Tx, { batch, first, last }: Span) =>
  db.selectFrom('charges').selectAll().where('batch', '=', batch).where('row', '>=', first).where('row', '<=', last),
);

/** Reads the charges of the parts of these split rows, part by part. */
async function chargesOfParts(tx: Tx, rows: readonly RowKey[]): Promise<ReadonlyMap<number, readonly ChargeRecord[]>> {
  const byRow = new Map<number, ChargeRecord[]>(rows.map(({ row }) => [row, []]));
  for (const { part_of: row, ...line } of await selectChargesOfParts(tx, rows))
    byRow.get(row ?? 0)?.push(toCharge(line));
  for (const charges of byRow.values()) charges.sort((a, b) => a.row - b.row || byAttempt(a, b));
  return byRow;
}

const selectChargesOfParts = preparedEach((db, { batch, row }: RowKey) =>
  db
    .selectFrom('charges as c')
    .innerJoin('rows as r', (join) => join.onRef('r.batch', '=', 'c.batch').onRef('r.row', '=', 'c.row'))
    .selectAll('c')
    .select('r.part_of')
    .where('r.batch', '=', batch)
    .where('r.part_of', '=', row)
    .where(isPart('r')),
);

/** Selects the number of a split row's first part. */
const selectFirstParts = preparedEach((db, { batch, row }: RowKey) =>
  db
    .selectFrom('rows')
    .select((eb) => [eb.ref('part_of').$notNull().as('whole'), eb.ref('row').as('first')])
    .where('batch', '=', batch)
    .where('part_of', '=', row)
    .where(isPart('rows'))
    .orderBy('row')
    .limit(1),
);

/** Reads the parts of a row with their charges, in order of its text; none if it is not split. */
export async function partsOf(db: Db, batch: string, row: number): Promise<readonly RowSnapshot[]> {
  return readSnapshot(db, (tx) => readParts(tx, batch, row));
}

/** Selects the numbers of a row's parts. */
export function selectParts(tx: Tx, batch: string, row: number): SelectQueryBuilder<Schema, 'rows', { row: number }> {
  return tx
    .selectFrom('rows')
    .select('row')
    .where('batch', '=', batch)
    .where('part_of', '=', row)
    .where(isPart('rows'));
}

/** Like {@link partsOf}, in a transaction. */
export async function readParts(tx: Tx, batch: string, row: number): Promise<readonly RowSnapshot[]> {
  const parts = await selectParts(tx, batch, row).orderBy('row').execute();
  return readRows(
    tx,
    batch,
    parts.map((part) => part.row),
  );
}

/** Returns the number of the row with this id; undefined if there is none. */
export async function findRowById(db: Db, batch: string, id: string): Promise<number | undefined> {
  const found = await db
    .selectFrom('rows')
    .select('row')
    .where('batch', '=', batch)
    .where('id', '=', id)
    .executeTakeFirst();
  return found?.row;
}

/**
 * Reads the rows with these ids (up to some hundred) and their charges, in manifest order. Unknown ids are left out.
 */
export async function rowsWithIds(db: Db, batch: string, ids: readonly string[]): Promise<readonly RowSnapshot[]> {
  return readSnapshot(db, async (tx) => {
    const found = await selectIds(
      tx,
      [...new Set(ids)].map((id) => ({ batch, id })),
    );
    return readRows(
      tx,
      batch,
      found.map(({ row }) => row),
    );
  });
}

const selectIds = preparedEach((db, { batch, id }: { readonly batch: string; readonly id: string }) =>
  db.selectFrom('rows').select('row').where('batch', '=', batch).where('id', '=', id),
);
