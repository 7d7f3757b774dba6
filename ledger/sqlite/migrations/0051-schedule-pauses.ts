import type { Kysely, Migration } from 'kysely';

/**
 * Why a schedule was paused or resumed here: what Temporal says of it may be another's. And since when a trigger or a backfill allows nothing any
 * more; its line stays, because runs are counted without those that were asked for. Once released it is never edited; a change is a new migration.
 */
export const schedulePauses: Migration = { up };

async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('schedules').addColumn('note', 'text').execute();
  await db.schema.alterTable('allowed_firings').addColumn('voided_at', 'integer').execute();
}
