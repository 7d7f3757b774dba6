import type { Kysely, Migration } from 'kysely';

/** The record of schedules: what became of each time at which one was due. Once released it is never edited; a change is a new migration. */
export const occurrences: Migration = { up };

async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('schedules')
    .addColumn('name', 'text', (c) => c.primaryKey())
    .addColumn('surveyed_until', 'integer', (c) => c.notNull())
    .execute();
  await db.schema
    .createTable('occurrences')
    .addColumn('schedule', 'text', (c) => c.notNull())
    .addColumn('at', 'integer', (c) => c.notNull())
    .addColumn('state', 'text', (c) => c.notNull())
    .addColumn('exit', 'text')
    .addColumn('cause', 'text')
    .addColumn('reason', 'text')
    .addColumn('ended_at', 'integer')
    .addPrimaryKeyConstraint('occurrences_key', ['schedule', 'at'])
    .execute();
}
