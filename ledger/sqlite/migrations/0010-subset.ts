import { sql, type Kysely, type Migration } from 'kysely';

/**
 * Rows that are not chosen: which ones are, as it was last asked for; the count of the others, which have ended before anything updates them;
 * and an index to find and price them by. Once released it is never edited; a change is a new migration.
 */
export const subset: Migration = { up };

async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('batches').addColumn('subset', 'text').execute();
  const key = sql`json_extract(new.failure, '$.class'), coalesce(json_extract(new.failure, '$.cause'), '')`;
  await sql`
    create trigger rows_reason_added after insert on rows
    when new.failure is not null
    begin
      insert into reasons (batch, class, cause, open, ended)
      values (new.batch, ${key}, new.outcome is null, new.outcome is not null)
      on conflict (batch, class, cause) do update set open = open + excluded.open, ended = ended + excluded.ended;
    end`.execute(db);
  // A load that was killed is removed and made again.
  await sql`
    create trigger batches_reasons_removed after delete on batches
    begin
      delete from reasons where batch = old.name;
    end`.execute(db);
  await db.schema
    .createIndex('rows_not_chosen')
    .on('rows')
    .columns(['batch', 'outcome', 'ended_at', 'row', 'quoted'])
    .where(sql<boolean>`outcome = 'skipped' and ended_at is null`)
    .execute();
}
