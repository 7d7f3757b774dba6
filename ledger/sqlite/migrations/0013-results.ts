import { sql, type Kysely, type Migration } from 'kysely';

/**
 * The result cache: what each attempt is known by and where its result came from, the results that later rows may use,
 * and what they saved. Results of earlier versions have no key. Once released it is never edited; a change is a new
 * migration.
 */
export const results: Migration = { up };

async function up(db: Kysely<unknown>): Promise<void> {
  await createResults(db);
  await db.schema.alterTable('charges').addColumn('result_key', 'text').execute();
  await db.schema.alterTable('charges').addColumn('source', 'text').execute();
  // Who is making a result now. A finished attempt leaves it, and so does one that failed.
  await db.schema
    .createIndex('charges_making')
    .on('charges')
    .columns(['result_key'])
    .where(sql<boolean>`result_key is not null and state in ('sending', 'accepted', 'unknown') and finished_at is null`)
    .execute();
  await keepSums(db);
}

async function createResults(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('results')
    .addColumn('key', 'text', (c) => c.notNull())
    .addColumn('batch', 'text', (c) => c.notNull())
    .addColumn('row', 'integer', (c) => c.notNull())
    .addColumn('step', 'text', (c) => c.notNull())
    .addColumn('take', 'integer', (c) => c.notNull())
    .addColumn('attempt', 'integer', (c) => c.notNull())
    .addColumn('file', 'text', (c) => c.notNull())
    .addColumn('extra_files', 'text')
    .addColumn('text', 'text')
    .addColumn('job_id', 'text')
    .addColumn('credits', 'double precision')
    .addColumn('bytes', 'integer', (c) => c.notNull())
    .addColumn('made_at', 'bigint', (c) => c.notNull())
    .addColumn('used_at', 'bigint', (c) => c.notNull())
    .addPrimaryKeyConstraint('results_key', ['batch', 'row', 'step', 'take', 'attempt'])
    // Rows of a batch end about in order, so most lines are added at its end.
    .modifyEnd(sql`without rowid`)
    .execute();
  await db.schema.createIndex('results_by_key').on('results').columns(['key', 'made_at']).execute();
}

/** What a batch saved, and how many of its rows paid because a file was damaged. */
async function keepSums(db: Kysely<unknown>): Promise<void> {
  for (const column of ['saved', 'damaged']) {
    await db.schema
      .alterTable('sums')
      .addColumn(column, 'double precision', (c) => c.notNull().defaultTo(0))
      .execute();
  }
  const save = (sign: string): string =>
    `update sums set saved = round(saved ${sign} coalesce(new.quoted, 0), 6) where batch = new.batch;`;
  const triggers = [
    `create trigger charges_cached after insert on charges when new.state = 'cached' begin ${save('+')} end`,
    `create trigger charges_uncached after update of state on charges
     when old.state = 'cached' and new.state <> 'cached' begin ${save('-')} end`,
    `create trigger charges_damaged after insert on charges when new.state = 'sending' and new.source is not null
     begin update sums set damaged = damaged + 1 where batch = new.batch; end`,
  ];
  for (const trigger of triggers) await sql.raw(trigger).execute(db);
}
