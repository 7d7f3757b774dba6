import type { Selectable } from 'kysely';
import { preparedOne } from '../database/prepared.ts';
import { LedgerMisuse, LoadTakenOver } from '../errors.ts';
import { toBatch, type BatchRecord, type Loading } from './batch-records.ts';
import type { Db, Tx } from '../schema.ts';
import type { BatchesTable } from '../tables/batches.ts';

/*
 * Reads batches: as records, or as lines of the table `batches`.
 */

const selectBatch = preparedOne((db, { batch }: { batch: string }) =>
  db
    .selectFrom('batches')
    .selectAll()
    // The number of the last part: parts are numbered after all rows.
    .select((eb) =>
      eb
        .selectFrom('rows')
        .select(({ fn }) => fn.max('rows.row').as('last_row'))
        .whereRef('rows.batch', '=', 'batches.name')
        .as('last_row'),
    )
    .where('name', '=', batch),
);

/** Reads a batch by its name; undefined if there is none. */
export async function findBatch(db: Db, batch: string): Promise<BatchRecord | undefined> {
  const line = await selectBatch(db, { batch });
  return line === undefined ? undefined : toBatch(line, line.last_row ?? 0);
}

/** Reads a batch by its name. Throws {@link LedgerMisuse} if there is none. */
export async function requireBatch(tx: Tx, batch: string): Promise<BatchRecord> {
  const found = await findBatch(tx, batch);
  if (found === undefined) throw noSuchBatch(batch);
  return found;
}

function noSuchBatch(batch: string): LedgerMisuse {
  return new LedgerMisuse(`There is no batch "${batch}" in this ledger.`);
}

/** Reads the batch of a load. Throws {@link LoadTakenOver} if another load has taken it over, or it was removed. */
export async function requireLoaded(tx: Tx, { batch, stem }: Loading): Promise<BatchRecord> {
  const found = await findBatch(tx, batch);
  if (found?.layout.stem !== stem) throw new LoadTakenOver(batch);
  return found;
}

/** Reads a batch whose rows are to be reopened. Throws {@link LedgerMisuse} while it is being loaded or stopped. */
export async function requireReopenable(tx: Tx, batch: string): Promise<BatchRecord> {
  const found = await requireBatch(tx, batch);
  const { state, control } = found;
  if (state === 'loading') throw new LedgerMisuse(`Batch "${batch}" is loading; no row was changed.`);
  if (state === 'open' && control === 'stopping')
    throw new LedgerMisuse(`Batch "${batch}" is being stopped; no row was changed.`);
  return found;
}

/** Reads all batches, oldest first. */
export async function listBatches(db: Db): Promise<readonly BatchRecord[]> {
  const lines = await db.selectFrom('batches').selectAll().orderBy('created_at').orderBy('name').execute();
  return lines.map((line) => toBatch(line));
}

/** Returns the names of those of these batches that are closed. */
export async function closedAmong(db: Db, batches: readonly string[]): Promise<readonly string[]> {
  if (batches.length === 0) return [];
  const lines = await db
    .selectFrom('batches')
    .select('name')
    .where('name', 'in', batches)
    .where('state', '=', 'closed')
    .execute();
  return lines.map(({ name }) => name);
}

/** Returns the accounts that have batches at this API URL. */
export async function accountsAt(db: Db, apiUrl: string): Promise<readonly string[]> {
  const lines = await db.selectFrom('batches').select('account').distinct().where('api_url', '=', apiUrl).execute();
  return lines.map(({ account }) => account);
}

const selectLine = preparedOne(
  (db, { batch }: { batch: string }) => db.selectFrom('batches').selectAll().where('name', '=', batch),
  ({ batch }) => `batch:${batch}`,
);

/**
 * Reads the line of a batch, which a unit of work can prefetch: cheaper than {@link requireBatch}. Throws {@link
 * LedgerMisuse} if there is none.
 */
export async function readBatchLine(db: Db | Tx, batch: string): Promise<Selectable<BatchesTable>> {
  const line = await selectLine(db, { batch });
  if (line === undefined) throw noSuchBatch(batch);
  return line;
}
