import type { Kysely, Migration } from 'kysely';

/** To find the last row of an id, of whatever batch. Once released it is never edited; a change is a new migration. */
export const rowsById: Migration = { up };

async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.createIndex('rows_by_id').on('rows').columns(['id']).execute();
}
