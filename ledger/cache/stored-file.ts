import { sql } from 'kysely';
import { toFile } from '../records.ts';
import type { Db } from '../schema.ts';

/** A file of a batch in the store. */
export interface StoredFileOfBatch {
  readonly batch: string;
  /** Name in the store. */
  readonly key: string;
}

/** The file of an attempt is there, and was not removed on purpose. */
const IS_STORED = sql<boolean>`charges.file is not null and charges.file not like '%"removedAt":%'`;

/**
 * A file in the store that nobody removed on purpose: of the newest batch that has one, and of one whose rows were cleaned
 * only if no other has. Undefined: none is on record.
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
    // One whose rows were cleaned cannot be redriven.
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
