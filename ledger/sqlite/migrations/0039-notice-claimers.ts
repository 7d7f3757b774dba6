import type { Kysely, Migration } from 'kysely';

/**
 * Which process is telling a notice, so that the next one need not wait for the claim of a dead one. Null: nobody, or a
 * process of an earlier version. Once released it is never edited; a change is a new migration.
 */
export const noticeClaimers: Migration = { up };

async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('notices').addColumn('claimer', 'text').execute();
}
