import { sql, type Kysely, type Migration } from 'kysely';

/**
 * Free rows that the budget holds room for: begun chains between two steps, and parts of begun rows. They are claimed before rows that
 * nobody has begun, which may wait for them. Once released it is never edited; a change is a new migration.
 */
export const reservedRows: Migration = { up };

async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createIndex('rows_reserved')
    .on('rows')
    .columns(['batch', 'state', 'row', 'outcome', 'lane', 'promised'])
    .where(sql<boolean>`outcome is null and lane is null and state = 'waiting' and promised > 0`)
    .execute();
}
