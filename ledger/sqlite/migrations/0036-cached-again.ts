import { sql, type Kysely, type Migration } from 'kysely';

/**
 * A copy of an earlier result counts as saved again once its lost file is back: while a job is read for it, its attempt is
 * `accepted`. Once released it is never edited; a change is a new migration.
 */
export const cachedAgain: Migration = { up };

async function up(db: Kysely<unknown>): Promise<void> {
  await sql
    .raw(
      `create trigger charges_cached_again after update of state on charges
       when old.state <> 'cached' and new.state = 'cached' begin
         update sums set saved = round(saved + coalesce(new.quoted, 0), 6) where batch = new.batch;
       end`,
    )
    .execute(db);
}
