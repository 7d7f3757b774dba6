import { sql, type Kysely, type Migration } from 'kysely';

/**
 * How many rows have failed for which reason, kept by the database itself with every change of a row; and the watch over the first
 * rows of a batch. Once released it is never edited; a change is a new migration.
 */
export const reasons: Migration = { up };

async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('batches').addColumn('watch', 'text').execute();
  await db.schema
    .createTable('reasons')
    .addColumn('batch', 'text', (c) => c.notNull())
    .addColumn('class', 'text', (c) => c.notNull())
    .addColumn('cause', 'text', (c) => c.notNull())
    // Rows that have not ended.
    .addColumn('open', 'integer', (c) => c.notNull())
    .addColumn('ended', 'integer', (c) => c.notNull())
    .addPrimaryKeyConstraint('reasons_key', ['batch', 'class', 'cause'])
    .execute();
  const key = (of: string) =>
    sql`json_extract(${sql.ref(of)}, '$.class'), coalesce(json_extract(${sql.ref(of)}, '$.cause'), '')`;
  await sql`
    insert into reasons (batch, class, cause, open, ended)
    select batch, ${key('failure')}, sum(outcome is null), sum(outcome is not null)
    from rows where failure is not null group by 1, 2, 3`.execute(db);
  // A trigger rather than code: many statements end or open rows, some of them thousands at once.
  await sql`
    create trigger rows_reason after update of failure, outcome on rows
    when (old.failure is not null or new.failure is not null)
      and (old.failure is not new.failure or (old.outcome is null) <> (new.outcome is null))
    begin
      update reasons set open = open - (old.outcome is null), ended = ended - (old.outcome is not null)
      where old.failure is not null and batch = old.batch and (class, cause) = (${key('old.failure')});
      insert into reasons (batch, class, cause, open, ended)
      select new.batch, ${key('new.failure')}, new.outcome is null, new.outcome is not null where new.failure is not null
      on conflict (batch, class, cause) do update set open = open + excluded.open, ended = ended + excluded.ended;
    end`.execute(db);
}
