import type { Kysely, Migration } from 'kysely';

/** What an occurrence read: the `ETag` of its manifest, and whether it was that of the one before. Once released it is never edited. */
export const fetchedManifests: Migration = { up };

async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('occurrences').addColumn('etag', 'text').execute();
  await db.schema.alterTable('occurrences').addColumn('unchanged', 'integer').execute();
}
