import type { Kysely, Migration } from 'kysely';

/**
 * What an answer said of its price before its result was stored; and how often a row was given out. Once released it is never edited; a
 * change is a new migration.
 */
export const toldAndHold: Migration = { up };

async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('charges').addColumn('told', 'double precision').execute();
  await db.schema
    .alterTable('rows')
    .addColumn('hold', 'integer', (c) => c.notNull().defaultTo(0))
    .execute();
}
