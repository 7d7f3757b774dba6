import type { Kysely, Migration } from 'kysely';

/**
 * What a schedule spends, reads and writes lies in the ledger, and the times at which it may fire; and each occurrence's folder. `legacy_until`: the
 * schedule was made by an earlier version, whose settings lay in Temporal, and are taken from there if they are older than this moment. Once released
 * it is never edited; a change is a new migration.
 */
export const scheduleSettings: Migration = { up };

async function up(db: Kysely<unknown>): Promise<void> {
  for (const name of ['run', 'spec', 'api_url', 'account'])
    await db.schema.alterTable('schedules').addColumn(name, 'text').execute();
  for (const name of ['settled_at', 'legacy_until'])
    await db.schema.alterTable('schedules').addColumn(name, 'integer').execute();
  await db.schema.alterTable('occurrences').addColumn('out', 'text').execute();
  await db.schema
    .createTable('allowed_firings')
    .addColumn('id', 'integer', (c) => c.primaryKey().autoIncrement())
    .addColumn('schedule', 'text', (c) => c.notNull())
    .addColumn('kind', 'text', (c) => c.notNull())
    .addColumn('from_at', 'integer', (c) => c.notNull())
    .addColumn('until_at', 'integer')
    .addColumn('spec', 'text')
    .addColumn('at', 'integer')
    .execute();
  await db.schema.createIndex('allowed_firings_of').on('allowed_firings').column('schedule').execute();
  await db
    .withTables<{ schedules: { legacy_until: number } }>()
    .updateTable('schedules')
    .set({ legacy_until: Date.now() })
    .execute();
}
