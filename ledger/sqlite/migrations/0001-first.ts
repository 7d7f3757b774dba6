import { randomUUID } from 'node:crypto';
import { sql, type Kysely, type Migration } from 'kysely';

/** Tables of the first version. Once released it is never edited; a change is a new migration. */
export const first: Migration = { up };

async function up(db: Kysely<unknown>): Promise<void> {
  await createFacts(db);
  await createBatches(db);
  await createRows(db);
  await createCharges(db);
  await db.schema
    .createTable('limiters')
    .addColumn('scope', 'text', (c) => c.primaryKey())
    .addColumn('state', 'text', (c) => c.notNull())
    .execute();
}

async function createFacts(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('facts')
    .addColumn('name', 'text', (c) => c.primaryKey())
    .addColumn('value', 'text', (c) => c.notNull())
    .execute();
  const facts = db as Kysely<{ facts: { name: string; value: string } }>;
  await facts.insertInto('facts').values({ name: 'id', value: randomUUID() }).execute();
}

async function createBatches(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('batches')
    .addColumn('name', 'text', (c) => c.primaryKey())
    .addColumn('digest', 'text', (c) => c.notNull())
    .addColumn('api_url', 'text', (c) => c.notNull())
    .addColumn('account', 'text', (c) => c.notNull())
    .addColumn('settings', 'text', (c) => c.notNull())
    .addColumn('columns', 'text', (c) => c.notNull())
    .addColumn('source', 'text', (c) => c.notNull())
    .addColumn('state', 'text', (c) => c.notNull())
    .addColumn('control', 'text', (c) => c.notNull())
    .addColumn('pause_reason', 'text')
    .addColumn('rows', 'integer', (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('started_at', 'bigint')
    .addColumn('closed_at', 'bigint')
    .execute();
}

async function createRows(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('rows')
    .addColumn('batch', 'text', (c) => c.notNull().references('batches.name'))
    .addColumn('row', 'integer', (c) => c.notNull())
    .addColumn('id', 'text', (c) => c.notNull())
    .addColumn('line', 'integer', (c) => c.notNull())
    .addColumn('kind', 'text', (c) => c.notNull())
    .addColumn('spec', 'text', (c) => c.notNull())
    .addColumn('input', 'text', (c) => c.notNull())
    .addColumn('quoted', 'double precision')
    .addColumn('state', 'text', (c) => c.notNull())
    .addColumn('outcome', 'text')
    .addColumn('failure', 'text')
    .addColumn('file', 'text')
    .addColumn('extra_files', 'text')
    .addColumn('text', 'text')
    .addColumn('take', 'integer', (c) => c.notNull())
    .addColumn('claim_run', 'text')
    .addColumn('claim', 'text')
    .addColumn('updated_at', 'bigint', (c) => c.notNull())
    .addColumn('ended_at', 'bigint')
    .addPrimaryKeyConstraint('rows_key', ['batch', 'row'])
    .addUniqueConstraint('rows_id', ['batch', 'id'])
    .execute();
  // Open rows only, so that the next claim and the states of a big batch cost what is open, not what there is.
  // `outcome` is in it, though always empty, because SQLite reads the whole row otherwise.
  await db.schema
    .createIndex('rows_open')
    .on('rows')
    .columns(['batch', 'row', 'claim_run', 'state', 'outcome'])
    .where(sql.ref('outcome'), 'is', null)
    .execute();
  await db.schema
    .createIndex('rows_outcome')
    .on('rows')
    .columns(['batch', 'outcome', 'row'])
    .where(sql.ref('outcome'), 'is not', null)
    .execute();
  await db.schema
    .createIndex('rows_ended')
    .on('rows')
    .columns(['batch', 'ended_at', 'row'])
    .where(sql.ref('ended_at'), 'is not', null)
    .execute();
  await db.schema.createIndex('rows_claim').on('rows').columns(['batch', 'claim_run', 'claim']).execute();
}

async function createCharges(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('charges')
    .addColumn('batch', 'text', (c) => c.notNull())
    .addColumn('row', 'integer', (c) => c.notNull())
    .addColumn('step', 'text', (c) => c.notNull())
    .addColumn('take', 'integer', (c) => c.notNull())
    .addColumn('attempt', 'integer', (c) => c.notNull())
    .addColumn('state', 'text', (c) => c.notNull())
    .addColumn('job_id', 'text')
    .addColumn('quoted', 'double precision')
    .addColumn('charged', 'double precision')
    .addColumn('charged_from', 'text')
    .addColumn('failure', 'text')
    .addColumn('request_id', 'text')
    .addColumn('owner', 'text', (c) => c.notNull())
    .addColumn('intent_at', 'bigint', (c) => c.notNull())
    .addColumn('verdict_at', 'bigint')
    .addColumn('finished_at', 'bigint')
    .addColumn('file', 'text')
    // The heart of the ledger: an attempt is recorded once, whoever tries.
    .addPrimaryKeyConstraint('charges_key', ['batch', 'row', 'step', 'take', 'attempt'])
    .addForeignKeyConstraint('charges_row', ['batch', 'row'], 'rows', ['batch', 'row'])
    .execute();
  // Carries the sums of `money` and the count of attempts in flight.
  await db.schema
    .createIndex('charges_state')
    .on('charges')
    .columns(['batch', 'state', 'charged_from', 'charged', 'quoted'])
    .execute();
  await db.schema.createIndex('charges_job').on('charges').columns(['job_id', 'batch']).execute();
}
