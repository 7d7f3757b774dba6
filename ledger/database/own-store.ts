import type { Db } from '../schema.ts';
import { keepFact, readFact, setFact } from './facts.ts';
import { write } from './transactions.ts';
import { sql } from 'kysely';
import { toFile } from '../records.ts';

/**
 * The fact with the random id of the ledger's store. A ledger has one store: records name files by key only, so results
 * spread over two stores would be missing from each of them.
 */
const STORE_FACT = 'store';

/** The id of the ledger's store; undefined if none is on record yet. */
export async function storeId(db: Db): Promise<string | undefined> {
  return readFact(db, STORE_FACT);
}

/** Records a store as the ledger's, unless it has one. Returns the id of the ledger's store. */
export async function recordStore(db: Db, id: string): Promise<string> {
  return write(db, async (tx) => {
    await keepFact(tx, STORE_FACT, id);
    return (await readFact(tx, STORE_FACT)) ?? id;
  });
}

/** Records a store in place of the former one, after a person has confirmed that the former is lost. */
export async function replaceStore(db: Db, id: string): Promise<void> {
  await write(db, (tx) => setFact(tx, STORE_FACT, id));
}

/** A file of a batch in the store. */
interface StoredFileOfBatch {
  readonly batch: string;
  /** Name in the store. */
  readonly key: string;
}

/** Condition: the attempt has a file that was not removed on purpose. */
const IS_STORED = sql<boolean>`charges.file is not null and charges.file not like '%"removedAt":%'`;

/**
 * Returns a stored file, for checking that a store is the ledger's: one that was not removed on purpose, from the
 * newest batch that has one. Prefers batches whose rows were not cleaned. Undefined if no file is on record.
 */
export async function findStoredFile(db: Db): Promise<StoredFileOfBatch | undefined> {
  const found = await db
    .selectFrom('batches')
    .select('name')
    .where((eb) =>
      eb.exists(
        eb.selectFrom('charges').select('charges.row').whereRef('charges.batch', '=', 'batches.name').where(IS_STORED),
      ),
    )
    // A batch whose rows were cleaned cannot be redriven.
    .orderBy(sql`rows_cleaned_at is not null`)
    .orderBy('created_at', 'desc')
    .limit(1)
    .executeTakeFirst();
  if (found === undefined) return undefined;
  const { name: batch } = found;
  const line = await db
    .selectFrom('charges')
    .select('file')
    .where('batch', '=', batch)
    .where(IS_STORED)
    .limit(1)
    .executeTakeFirst();
  const file = toFile(line?.file ?? null);
  return file === null ? undefined : { batch, key: file.key };
}
