import { sql, type Kysely, type Migration } from 'kysely';

/**
 * What was charged beside the quotes is kept by the size of the quote, too: a least charge of the API says of a short text that it costs many
 * times its quote, and nothing of the kind of a long one. And a job that is read again for a lost file no longer counts as one whose price is
 * not known: it was paid for long ago. Once released it is never edited; a change is a new migration.
 */
export const ratiosBySize: Migration = { up };

const IS_TOLD = `new.charged_from = 'api' and new.charged > 0`;
/** A job that is read again has ended and told before. */
const HAS_ENDED = `new.finished_at is not null and old.finished_at is null and old.file is null`;
/** Powers of four from 4^-8 to 4^16: the largest quote of each size. */
const SIZES = Array.from({ length: 25 }, (_, index) => String(4 ** (index - 8)));
const SIZE = `case when coalesce(new.quoted, 0) <= 0 then 0 ${SIZES.map((size) => `when new.quoted <= ${size} then ${size}`).join(' ')}
  else ${String(SIZES.at(-1))} end`;

async function up(db: Kysely<unknown>): Promise<void> {
  await replaceRatios(db);
  await replaceUnbilled(db);
}

/** The lines of open batches begin anew, from their charges. */
async function replaceRatios(db: Kysely<unknown>): Promise<void> {
  await sql.raw('drop trigger charges_ratio').execute(db);
  await db.schema.dropTable('charge_ratios').execute();
  await db.schema
    .createTable('charge_ratios')
    .addColumn('batch', 'text', (c) => c.notNull())
    .addColumn('operation', 'text', (c) => c.notNull())
    .addColumn('size', 'double precision', (c) => c.notNull())
    .addColumn('step', 'text', (c) => c.notNull())
    .addColumn('worst', 'double precision', (c) => c.notNull().defaultTo(0))
    .addColumn('unquoted', 'double precision', (c) => c.notNull().defaultTo(0))
    .addColumn('told', 'integer', (c) => c.notNull().defaultTo(0))
    .addColumn('ended', 'integer', (c) => c.notNull().defaultTo(0))
    .addColumn('earlier', 'double precision', (c) => c.notNull().defaultTo(0))
    .addPrimaryKeyConstraint('charge_ratios_by_size_key', ['batch', 'operation', 'size'])
    .execute();
  await sql
    .raw(
      `create trigger charges_ratio after update of state, charged, charged_from, finished_at on charges
       when new.state in ('accepted', 'done') and (new.finished_at is not null or new.charged_from = 'api')
       begin
         insert into charge_ratios (batch, operation, size, step, worst, unquoted, told, ended)
         select new.batch, new.operation, ${SIZE}, new.step,
           case when ${IS_TOLD} and new.quoted > 0 then new.charged / new.quoted else 0 end,
           case when ${IS_TOLD} and coalesce(new.quoted, 0) <= 0 then new.charged else 0 end,
           coalesce(${HAS_ENDED} and ${IS_TOLD}, 0), ${HAS_ENDED}
         where exists (select 1 from charge_ratios where batch = new.batch and operation = new.operation)
         on conflict (batch, operation, size) do update set
           worst = max(worst, excluded.worst),
           unquoted = max(unquoted, excluded.unquoted),
           told = told + excluded.told,
           ended = ended + excluded.ended;
       end`,
    )
    .execute(db);
}

async function replaceUnbilled(db: Kysely<unknown>): Promise<void> {
  for (const name of ['charges_unbilled', 'charges_unbilled_added', 'charges_unbilled_removed']) {
    await sql.raw(`drop trigger ${name}`).execute(db);
  }
  await sql
    .raw(
      `update sums set unbilled = round(coalesce(
         (select sum(${unbilled('c')}) from charges as c
           where c.batch = sums.batch and c.state = 'accepted' and c.finished_at is null), 0), 6)`,
    )
    .execute(db);
  const change = (batch: string, by: string): string =>
    `begin update sums set unbilled = round(unbilled + ${by}, 6) where batch = ${batch}; end`;
  const [before, after] = [unbilled('old'), unbilled('new')];
  for (const trigger of [
    `create trigger charges_unbilled after update of state, quoted, charged, charged_from, finished_at, file on charges
     when ${before} <> ${after} ${change('new.batch', `${after} - ${before}`)}`,
    `create trigger charges_unbilled_added after insert on charges when ${after} <> 0 ${change('new.batch', after)}`,
    `create trigger charges_unbilled_removed after delete on charges when ${before} <> 0 ${change('old.batch', `- ${before}`)}`,
  ]) {
    await sql.raw(trigger).execute(db);
  }
}

/** By how much a running job was announced as cheaper than it is quoted. */
function unbilled(c: string): string {
  return `(case when ${c}.state = 'accepted' and ${c}.finished_at is null and ${c}.file is null and ${c}.charged_from = 'api'
    then max(0, coalesce(${c}.quoted, 0) - coalesce(${c}.charged, 0)) else 0 end)`;
}
