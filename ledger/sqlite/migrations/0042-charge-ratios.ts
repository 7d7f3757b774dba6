import { sql, type Kysely, type Migration } from 'kysely';

/**
 * What a batch with a budget has been charged so far beside its quotes, by step: its open requests may be charged as much. `intend` adds the
 * line of a step with its first request under a budget; the database keeps it from then on, by a trigger. Without a budget there is no such
 * line, and the trigger finds nothing to do. Once released it is never edited; a change is a new migration.
 */
export const chargeRatios: Migration = { up };

const IS_TOLD = `new.charged_from = 'api' and new.charged > 0`;

async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('charge_ratios')
    .addColumn('batch', 'text', (c) => c.notNull())
    .addColumn('step', 'text', (c) => c.notNull())
    .addColumn('worst', 'double precision', (c) => c.notNull().defaultTo(0))
    .addColumn('unquoted', 'double precision', (c) => c.notNull().defaultTo(0))
    .addColumn('told', 'integer', (c) => c.notNull().defaultTo(0))
    .addColumn('ended', 'integer', (c) => c.notNull().defaultTo(0))
    .addColumn('earlier', 'double precision', (c) => c.notNull().defaultTo(0))
    .addPrimaryKeyConstraint('charge_ratios_key', ['batch', 'step'])
    .execute();
  await sql
    .raw(
      `create trigger charges_ratio after update of state, charged, charged_from, finished_at on charges
       when new.state in ('accepted', 'done') and (new.finished_at is not null or new.charged_from = 'api')
       begin
         update charge_ratios set
           worst = max(worst, case when ${IS_TOLD} and new.quoted > 0 then new.charged / new.quoted else 0 end),
           unquoted = max(unquoted, case when ${IS_TOLD} and coalesce(new.quoted, 0) <= 0 then new.charged else 0 end),
           told = told + (new.finished_at is not null and old.finished_at is null and ${IS_TOLD}),
           ended = ended + (new.finished_at is not null and old.finished_at is null)
         where batch = new.batch and step = new.step;
       end`,
    )
    .execute(db);
}
