import type { Kysely, Migration } from 'kysely';

/** What checks of results found, and which results a person accepted. Once released it is never edited; a change is a new migration. */
export const verification: Migration = { up };

async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('rows').addColumn('accepted_take', 'integer').execute();
  await db.schema.alterTable('rows').addColumn('fallback', 'text').execute();
  await db.schema.alterTable('charges').addColumn('judgement', 'text').execute();
}
