import type { Kysely, Migration } from 'kysely';

/**
 * Whether the name of a new voice was free when its request was recorded, so that a voice of that name can be
 * recognised as its own. Once released it is never edited.
 */
export const freeNames: Migration = { up };

async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('charges').addColumn('name_free', 'integer').execute();
}
