import type { Kysely, Migration } from 'kysely';

/** What was removed of a batch, and what is being removed. Once released it is never edited; a change is a new migration. */
export const cleaning: Migration = { up };

async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('batches').addColumn('media_cleaned_at', 'bigint').execute();
  await db.schema.alterTable('batches').addColumn('rows_cleaned_at', 'bigint').execute();
  await db.schema.alterTable('batches').addColumn('cleaning', 'text').execute();
}
