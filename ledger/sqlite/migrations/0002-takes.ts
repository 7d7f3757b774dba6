import { sql, type Kysely, type Migration } from 'kysely';

/** Takes, the budget, halts. Once released it is never edited; a change is a new migration. */
export const takes: Migration = { up };

async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('batches').addColumn('halted', 'text').execute();
  await db.schema
    .alterTable('batches')
    .addColumn('charged', 'double precision', (c) => c.notNull().defaultTo(0))
    .execute();
  await db.schema
    .alterTable('batches')
    .addColumn('stop_now', 'integer', (c) => c.notNull().defaultTo(0))
    .execute();
  await db.schema.alterTable('batches').addColumn('reopened_at', 'bigint').execute();
  await db.schema.alterTable('rows').addColumn('redo_from', 'text').execute();
  await db.schema
    .alterTable('rows')
    .addColumn('auto_takes', 'integer', (c) => c.notNull().defaultTo(0))
    .execute();
  await db.schema.alterTable('rows').addColumn('wait_since', 'bigint').execute();
  await db.schema
    .alterTable('rows')
    .addColumn('promised', 'double precision', (c) => c.notNull().defaultTo(0))
    .execute();
  await db.schema.alterTable('charges').addColumn('link_hash', 'text').execute();
  await db.schema
    .createTable('takes')
    .addColumn('batch', 'text', (c) => c.notNull())
    .addColumn('row', 'integer', (c) => c.notNull())
    .addColumn('take', 'integer', (c) => c.notNull())
    .addColumn('reason', 'text', (c) => c.notNull())
    .addColumn('from_step', 'text', (c) => c.notNull())
    .addColumn('made_at', 'bigint', (c) => c.notNull())
    .addColumn('before', 'text', (c) => c.notNull())
    // A take is made once, whoever asks for it.
    .addPrimaryKeyConstraint('takes_key', ['batch', 'row', 'take'])
    .addForeignKeyConstraint('takes_row', ['batch', 'row'], 'rows', ['batch', 'row'])
    .execute();
  // What begun rows still need: asked for before every request under a budget.
  await db.schema
    .createIndex('rows_promised')
    .on('rows')
    .columns(['batch', 'promised'])
    .where(sql<boolean>`outcome is null and promised > 0`)
    .execute();
  // Jobs that run: few, among all that ever ran.
  await db.schema
    .createIndex('charges_running')
    .on('charges')
    .columns(['batch', 'row'])
    .where(sql<boolean>`state = 'accepted' and finished_at is null`)
    .execute();
  await sql`update batches set charged = coalesce((select sum(charged) from charges where charges.batch = batches.name), 0)`.execute(
    db,
  );
}
