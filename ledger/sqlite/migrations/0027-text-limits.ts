import type { Kysely, Migration } from 'kysely';

/** The longest texts that an account's operations take, as refusals have said. Once released it is never edited; a change is a new migration. */
export const textLimits: Migration = { up };

async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('text_limits')
    .addColumn('api_url', 'text', (c) => c.notNull())
    .addColumn('account', 'text', (c) => c.notNull())
    .addColumn('operation', 'text', (c) => c.notNull())
    .addColumn('most', 'integer', (c) => c.notNull())
    .addColumn('learnt_at', 'integer', (c) => c.notNull())
    .addPrimaryKeyConstraint('text_limits_key', ['api_url', 'account', 'operation'])
    .execute();
}
