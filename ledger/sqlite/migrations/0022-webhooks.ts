import type { Kysely, Migration } from 'kysely';

/** Who uses the webhook of an account, and what was there before. Once released it is never edited; a change is a new migration. */
export const webhooks: Migration = { up };

async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('webhooks')
    .addColumn('api_url', 'text', (column) => column.notNull())
    .addColumn('account', 'text', (column) => column.notNull())
    .addColumn('owner', 'text', (column) => column.notNull())
    .addColumn('address', 'text')
    .addColumn('before', 'text')
    .addColumn('taken_at', 'integer', (column) => column.notNull())
    .addPrimaryKeyConstraint('webhooks_key', ['api_url', 'account'])
    .execute();
}
