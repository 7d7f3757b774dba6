import { sql, type Kysely, type Migration } from 'kysely';

/** Why a worker ended that could not go on, such as a full disk. Once released it is never edited; a change is a new migration. */
export const workerEnds: Migration = { up };

async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw('alter table workers add column ended_because text').execute(db);
}
