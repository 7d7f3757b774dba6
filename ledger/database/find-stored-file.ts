import { sql } from 'kysely';
import { toFile } from '../records.ts';
import type { Db } from '../schema.ts';

/** A file of a batch in the store. */
export interface StoredFileOfBatch {
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
