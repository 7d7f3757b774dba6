import { sql, type Kysely, type Migration } from 'kysely';

/**
 * Lanes take the place of claims: who works on which rows is known by a lane and its fencing token, not by a run of a workflow; and which
 * workers live. Rows that a lane of the version before had are free: nobody of it works any more. Once released it is never edited; a
 * change is a new migration.
 */
export const lanes: Migration = { up };

async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('lanes')
    .addColumn('batch', 'text', (c) => c.notNull().references('batches.name'))
    .addColumn('lane', 'integer', (c) => c.notNull())
    .addColumn('run', 'text', (c) => c.notNull())
    .addColumn('token', 'integer', (c) => c.notNull())
    .addColumn('owner', 'text', (c) => c.notNull())
    .addColumn('taken_at', 'bigint', (c) => c.notNull())
    .addPrimaryKeyConstraint('lanes_key', ['batch', 'lane'])
    .execute();
  await db.schema
    .createTable('workers')
    .addColumn('owner', 'text', (c) => c.primaryKey())
    .addColumn('api_url', 'text', (c) => c.notNull())
    .addColumn('account', 'text', (c) => c.notNull())
    .addColumn('seen_at', 'bigint', (c) => c.notNull())
    .execute();

  await db.schema.dropIndex('rows_claim').execute();
  await db.schema.dropIndex('rows_open').execute();
  await db.schema.alterTable('rows').dropColumn('claim').execute();
  await db.schema.alterTable('rows').dropColumn('claim_run').execute();
  await db.schema.alterTable('rows').addColumn('lane', 'integer').execute();
  // Whoever had it by its old number has it no more.
  await sql`update rows set hold = hold + 1 where outcome is null`.execute(db);

  // `outcome` is in it, though always empty, because SQLite reads the whole row otherwise.
  await db.schema
    .createIndex('rows_open')
    .on('rows')
    .columns(['batch', 'row', 'state', 'outcome'])
    .where(sql.ref('outcome'), 'is', null)
    .execute();
  // The next claim: rows leave it when they are given out, so it is not touched again while somebody works on them.
  await db.schema
    .createIndex('rows_free')
    .on('rows')
    .columns(['batch', 'state', 'row', 'outcome', 'lane'])
    .where(sql<boolean>`outcome is null and lane is null`)
    .execute();
  // What a lane has: as many as are in flight.
  await db.schema
    .createIndex('rows_lane')
    .on('rows')
    .columns(['batch', 'lane', 'row'])
    .where(sql<boolean>`outcome is null and lane is not null`)
    .execute();
}
