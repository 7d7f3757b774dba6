import type { Kysely, Migration } from 'kysely';

/**
 * What the looks at an awaited voice have come to: how long it was looked at, for how long of that its list could not be
 * read, whether it ever was, and when the last look was. Time in which nobody looked does not count. Once released it is
 * never edited; a change is a new migration.
 */
export const watchedVoices: Migration = { up };

async function up(db: Kysely<unknown>): Promise<void> {
  for (const column of ['watched_ms', 'silent_ms', 'was_read']) {
    await db.schema
      .alterTable('awaited_voices')
      .addColumn(column, 'integer', (c) => c.notNull().defaultTo(0))
      .execute();
  }
  await db.schema.alterTable('awaited_voices').addColumn('looked_at', 'integer').execute();
}
