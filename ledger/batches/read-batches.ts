import { preparedOne } from '../database/prepared.ts';
import { LedgerMisuse } from '../errors.ts';
import type { BatchRecord } from '../record-types.ts';
import { toBatch } from '../records.ts';
import type { Db, Tx } from '../schema.ts';

const selectBatch = preparedOne((db, { batch }: { batch: string }) =>
  db
    .selectFrom('batches')
    .selectAll()
    // Parts are numbered after all rows.
    .select((eb) =>
      eb
        .selectFrom('rows')
        .select(({ fn }) => fn.max('rows.row').as('last_row'))
        .whereRef('rows.batch', '=', 'batches.name')
        .as('last_row'),
    )
    .where('name', '=', batch),
);

export async function findBatch(db: Db, batch: string): Promise<BatchRecord | undefined> {
  const line = await selectBatch(db, { batch });
  return line === undefined ? undefined : toBatch(line, line.last_row ?? 0);
}

/** The batch. Throws {@link LedgerMisuse} if there is none. */
export async function requireBatch(tx: Tx, batch: string): Promise<BatchRecord> {
  const found = await findBatch(tx, batch);
  if (found === undefined) throw new LedgerMisuse(`There is no batch "${batch}" in this ledger.`);
  return found;
}

/** Every batch, oldest first. */
export async function listBatches(db: Db): Promise<readonly BatchRecord[]> {
  const lines = await db.selectFrom('batches').selectAll().orderBy('created_at').orderBy('name').execute();
  return lines.map((line) => toBatch(line));
}

/** The accounts that have batches at this address of an API. */
export async function accountsAt(db: Db, apiUrl: string): Promise<readonly string[]> {
  const lines = await db.selectFrom('batches').select('account').distinct().where('api_url', '=', apiUrl).execute();
  return lines.map(({ account }) => account);
}
