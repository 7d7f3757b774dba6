import { sql, type Kysely, type Migration } from 'kysely';

/**
 * Counts and sums of a batch are kept with every change instead of being added up again, so that they cost the same at any size. The database
 * keeps them itself, by triggers: no statement can forget them. And indexes that hold only what is under way or in doubt. Once released it
 * is never edited; a change is a new migration.
 */
export const keptCounts: Migration = { up };

type Line = 'old' | 'new' | 'c';

/** What a charge adds to each column of `sums`. */
const PARTS: Readonly<Record<string, (charge: Line) => string>> = {
  charged: (c) => `coalesce(${c}.charged, 0)`,
  sending: (c) => one(`${c}.state = 'sending'`),
  sending_quoted: (c) => `case when ${c}.state = 'sending' then coalesce(${c}.quoted, 0) else 0 end`,
  unknown: (c) => one(`${c}.state = 'unknown'`),
  unknown_quoted: (c) => `case when ${c}.state = 'unknown' then coalesce(${c}.quoted, 0) else 0 end`,
  running: (c) => one(`${c}.state = 'accepted' and ${c}.finished_at is null`),
  by_quote: (c) => one(`${c}.state in ('accepted', 'done') and coalesce(${c}.charged_from, '') <> 'api'`),
};

/** What a row holds back from the budget. */
const promisedBy = (row: 'old' | 'new'): string => `case when ${row}.outcome is null then ${row}.promised else 0 end`;
/** What a row counts as. */
const standing = (row: 'old' | 'new'): string => `coalesce(${row}.outcome, ${row}.state)`;
/** 1 if the row ended since its batch was last opened again. */
const isRecent = (row: 'old' | 'new'): string =>
  one(
    `${row}.outcome is not null and ${row}.ended_at >= coalesce((select reopened_at from batches where name = ${row}.batch), 0)`,
  );

async function up(db: Kysely<unknown>): Promise<void> {
  await createTables(db);
  await fillTables(db);
  for (const trigger of [...triggersOfCharges(), ...triggersOfRows(), ...triggersOfBatches()]) {
    await sql.raw(trigger).execute(db);
  }
  await changeIndexes(db);
}

async function createTables(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('row_counts')
    .addColumn('batch', 'text', (c) => c.notNull())
    .addColumn('standing', 'text', (c) => c.notNull())
    .addColumn('n', 'integer', (c) => c.notNull())
    .addColumn('recent', 'integer', (c) => c.notNull())
    .addPrimaryKeyConstraint('row_counts_key', ['batch', 'standing'])
    .execute();
  let sums = db.schema.createTable('sums').addColumn('batch', 'text', (c) => c.primaryKey());
  for (const column of [...Object.keys(PARTS), 'promised']) {
    sums = sums.addColumn(column, 'double precision', (c) => c.notNull().defaultTo(0));
  }
  await sums.execute();
}

async function fillTables(db: Kysely<unknown>): Promise<void> {
  await sql`
    insert into row_counts
    select r.batch, coalesce(r.outcome, r.state), count(*),
      sum(case when r.outcome is not null and r.ended_at >= coalesce(b.reopened_at, 0) then 1 else 0 end)
    from rows r join batches b on b.name = r.batch
    group by 1, 2`.execute(db);
  const columns = Object.keys(PARTS);
  const parts = columns.map(
    (column) => `coalesce((select sum(${part(column, 'c')}) from charges c where c.batch = b.name), 0)`,
  );
  const promised = 'coalesce((select sum(promised) from rows r where r.batch = b.name and r.outcome is null), 0)';
  await sql
    .raw(
      `insert into sums (batch, ${columns.join(', ')}, promised) select b.name, ${parts.join(', ')}, ${promised} from batches b`,
    )
    .execute(db);
  await db.schema.alterTable('batches').dropColumn('charged').execute();
}

/** Rounded: the dust of binary fractions would pile up over many small prices. */
function changeSums(batch: string, changes: readonly (readonly [column: string, change: string])[]): string {
  const sets = changes.map(([column, change]) => `${column} = round(${column} + ${change}, 6)`);
  return `update sums set ${sets.join(', ')} where batch = ${batch};`;
}

function triggersOfCharges(): readonly string[] {
  const columns = Object.keys(PARTS);
  const added = columns.map((column) => [column, `(${part(column, 'new')})`] as const);
  const taken = columns.map((column) => [column, `(- (${part(column, 'old')}))`] as const);
  const moved = columns.map((column) => [column, `((${part(column, 'new')}) - (${part(column, 'old')}))`] as const);
  return [
    `create trigger charges_added after insert on charges begin ${changeSums('new.batch', added)} end`,
    `create trigger charges_removed after delete on charges begin ${changeSums('old.batch', taken)} end`,
    `create trigger charges_changed after update of state, quoted, charged, charged_from, finished_at on charges
     begin ${changeSums('new.batch', moved)} end`,
  ];
}

function triggersOfRows(): readonly string[] {
  const add = `insert into row_counts values (new.batch, ${standing('new')}, 1, ${isRecent('new')})
    on conflict (batch, standing) do update set n = n + 1, recent = recent + excluded.recent;`;
  const take = `update row_counts set n = n - 1, recent = recent - ${isRecent('old')}
    where batch = old.batch and standing = ${standing('old')};`;
  const promise = changeSums('new.batch', [['promised', `((${promisedBy('new')}) - (${promisedBy('old')}))`]]);
  return [
    `create trigger rows_added after insert on rows begin ${add} end`,
    `create trigger rows_removed after delete on rows begin ${take} end`,
    `create trigger rows_changed after update of state, outcome, ended_at on rows
     when ${standing('old')} <> ${standing('new')} or coalesce(old.ended_at, 0) <> coalesce(new.ended_at, 0)
     begin ${take} ${add} end`,
    `create trigger rows_promised after update of promised, outcome on rows
     when old.promised <> 0 or new.promised <> 0
     begin ${promise} end`,
  ];
}

function triggersOfBatches(): readonly string[] {
  return [
    `create trigger batches_added after insert on batches begin insert into sums (batch) values (new.name); end`,
    `create trigger batches_removed after delete on batches begin
       delete from sums where batch = old.name; delete from row_counts where batch = old.name;
     end`,
    `create trigger batches_reopened after update of reopened_at on batches begin
       update row_counts set recent = (select count(*) from rows
         where rows.batch = new.name and rows.ended_at >= coalesce(new.reopened_at, 0) and rows.outcome = row_counts.standing)
       where batch = new.name;
     end`,
  ];
}

/** An index is used where a query repeats its condition word for word, without parameters: see `conditions.ts`. */
async function changeIndexes(db: Kysely<unknown>): Promise<void> {
  await db.schema.dropIndex('charges_state').execute();
  await db.schema.dropIndex('rows_promised').execute();
  await db.schema.dropIndex('charges_job').execute();
  await db.schema
    .createIndex('charges_job')
    .on('charges')
    .columns(['job_id', 'batch'])
    .where(sql<boolean>`job_id is not null`)
    .execute();
  await db.schema
    .createIndex('charges_sending')
    .on('charges')
    .columns(['batch', 'row'])
    .where(sql<boolean>`state = 'sending'`)
    .execute();
  await db.schema
    .createIndex('charges_doubt')
    .on('charges')
    .columns(['batch', 'row', 'step', 'intent_at'])
    .where(sql<boolean>`state in ('sending', 'unknown')`)
    .execute();
  // What a budget may have to skip.
  await db.schema
    .createIndex('rows_untouched')
    .on('rows')
    .columns(['batch', 'quoted', 'row'])
    .where(sql<boolean>`outcome is null and state = 'waiting' and take = 1`)
    .execute();
}

function part(column: string, charge: Line): string {
  return PARTS[column]?.(charge) ?? '0';
}

function one(condition: string): string {
  return `(case when ${condition} then 1 else 0 end)`;
}
