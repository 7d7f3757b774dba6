import type { Kysely, Migration } from 'kysely';

/** What a person decided about a request whose outcome nobody knew. Once released it is never edited; a change is a new migration. */
export const decisions: Migration = { up };

async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('decisions')
    .addColumn('batch', 'text', (c) => c.notNull())
    .addColumn('row', 'integer', (c) => c.notNull())
    // Counts the decisions of a row, from 1.
    .addColumn('number', 'integer', (c) => c.notNull())
    .addColumn('step', 'text', (c) => c.notNull())
    .addColumn('take', 'integer', (c) => c.notNull())
    .addColumn('attempt', 'integer', (c) => c.notNull())
    .addColumn('what', 'text', (c) => c.notNull())
    .addColumn('job_id', 'text')
    .addColumn('files', 'text', (c) => c.notNull())
    .addColumn('who', 'text', (c) => c.notNull())
    .addColumn('made_at', 'bigint', (c) => c.notNull())
    .addPrimaryKeyConstraint('decisions_key', ['batch', 'row', 'number'])
    .execute();
}
