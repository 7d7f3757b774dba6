import { type Kysely, type Migration, sql } from 'kysely';

/**
 * Where the files of a batch lie. Those of a batch that is there already stay where they are: in a folder of its bare name, all
 * together. Once released it is never edited; a change is a new migration.
 */
export const layout: Migration = { up };

async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('batches')
    .addColumn('stem', 'text', (c) => c.notNull().defaultTo(''))
    .execute();
  await db.schema.alterTable('batches').addColumn('rows_a_folder', 'integer').execute();
  await sql`update batches set stem = name`.execute(db);
}
