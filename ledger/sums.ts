import type { Selectable } from 'kysely';
import { LedgerMisuse } from './errors.ts';
import { preparedOne } from './prepared.ts';
import type { Db, Tx } from './schema.ts';
import type { SumsTable } from './tables/batches.ts';

/** The sums that triggers keep for a batch's charges and promises. */
export type Sums = Selectable<SumsTable>;

const selectSums = preparedOne((db, { batch }: { batch: string }) =>
  db.selectFrom('sums').selectAll().where('batch', '=', batch),
);

/** The sums of a batch. Throws {@link LedgerMisuse} if there is none. */
export async function readSums(db: Db | Tx, batch: string): Promise<Sums> {
  const sums = await selectSums(db, { batch });
  if (sums === undefined) throw new LedgerMisuse(`There is no batch "${batch}" in this ledger.`);
  return sums;
}
