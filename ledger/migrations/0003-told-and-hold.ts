import type { Kysely, Migration } from 'kysely';

/** What an answer said of its price before its result was stored. Once released it is never edited; a change is a new migration. */
export const told: Migration = { up };

async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('charges').addColumn('told', 'double precision').execute();
}
