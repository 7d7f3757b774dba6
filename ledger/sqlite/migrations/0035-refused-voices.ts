import { sql, type Kysely, type Migration } from 'kysely';

/**
 * How the API last refused a row because of its voice, which others wait for, too; and the voices that rows have made, by
 * their ids. Once released it is never edited; a change is a new migration.
 */
export const refusedVoices: Migration = { up };

async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('awaited_voices').addColumn('refusal', 'text').execute();
  await db.schema
    .createIndex('rows_made_voices')
    .on('rows')
    .columns(['text'])
    .where(sql<boolean>`kind = 'voice' and outcome = 'succeeded'`)
    .execute();
}
