import type { Db } from '../schema.ts';
import { keepFact, readFact, setFact } from './facts.ts';
import { write } from './transactions.ts';
import { sql } from 'kysely';
import { toFile } from '../records.ts';

/**
 * The fact that names the store of a ledger, by the random id in the store. Batches name their files by row, wherever
 * they lie, so results in two stores would be missed in each of them.
 */
const STORE_FACT = 'store';

/** The id of the ledger's store; undefined if none is on record yet. */
export async function storeId(db: Db): Promise<string | undefined> {
  return readFact(db, STORE_FACT);
}

/** Makes a store the ledger's, unless it has one. Returns the id of the one that it has. */
export async function recordStore(db: Db, id: string): Promise<string> {
  return write(db, async (tx) => {
    await keepFact(tx, STORE_FACT, id);
    return (await readFact(tx, STORE_FACT)) ?? id;
  });
}

/** Makes a store the ledger's in place of the one that it had: a person has confirmed that the former is lost. */
export async function replaceStore(db: Db, id: string): Promise<void> {
  await write(db, (tx) => setFact(tx, STORE_FACT, id));
}

/** A file of a batch in the store. */
interface StoredFileOfBatch {
  readonly batch: string;
  /** Name in the store. */
  readonly key: string;
}

/** The attempt has a file that was not deliberately removed. */
const IS_STORED = sql<boolean>`charges.file is not null and charges.file not like '%"removedAt":%'`;

/**
 * A stored file that was not deliberately removed, from the newest batch that has one. Batches whose rows were cleaned
 * are the last resort. Undefined if no file is on record.
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
