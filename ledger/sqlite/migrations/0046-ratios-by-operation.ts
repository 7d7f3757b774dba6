import { sql, type Kysely, type Migration } from 'kysely';

/**
 * What was charged beside the quotes is kept by operation, not by step: speech as a job and at once may be billed differently. And the sum
 * by which running jobs were announced as cheaper than quoted is kept with the others: the end of a job may tell another price. Once
 * released it is never edited; a change is a new migration.
 */
export const ratiosByOperation: Migration = { up };

const RUNNING = `state = 'accepted' and finished_at is null`;
const IS_TOLD = `new.charged_from = 'api' and new.charged > 0`;

async function up(db: Kysely<unknown>): Promise<void> {
  await addOperations(db);
  await replaceRatios(db);
  await addUnbilled(db);
}

/** Open requests get theirs. Of what has ended, an unknown operation counts for each of its step. */
async function addOperations(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('charges').addColumn('operation', 'text').execute();
  await sql
    .raw(
      `update charges set operation = case step
         when 'speech' then case when exists (
           select 1 from rows as r join batches as b on b.name = r.batch
           where r.batch = charges.batch and r.row = charges.row and r.kind = 'tts'
             and (json_extract(b.settings, '$.tts') = 'sync' or json_extract(r.spec, '$.dialect') = 'legacy')
         ) then 'speech-sync' else 'speech-job' end
         when 'verification' then 'transcription'
         when 'lip-sync' then 'lip-sync-job'
         when 'video-dubbing' then 'video-dubbing-job'
         else step end
       where state in ('sending', 'unknown') or (${RUNNING})`,
    )
    .execute(db);
}

/** The lines of open batches begin anew, from their charges. */
async function replaceRatios(db: Kysely<unknown>): Promise<void> {
  await sql.raw('drop trigger charges_ratio').execute(db);
  await db.schema.dropTable('charge_ratios').execute();
  await db.schema
    .createTable('charge_ratios')
    .addColumn('batch', 'text', (c) => c.notNull())
    .addColumn('operation', 'text', (c) => c.notNull())
    .addColumn('step', 'text', (c) => c.notNull())
    .addColumn('worst', 'double precision', (c) => c.notNull().defaultTo(0))
    .addColumn('unquoted', 'double precision', (c) => c.notNull().defaultTo(0))
    .addColumn('told', 'integer', (c) => c.notNull().defaultTo(0))
    .addColumn('ended', 'integer', (c) => c.notNull().defaultTo(0))
    .addColumn('earlier', 'double precision', (c) => c.notNull().defaultTo(0))
    .addPrimaryKeyConstraint('charge_ratios_by_operation_key', ['batch', 'operation'])
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
         where batch = new.batch and operation = new.operation;
       end`,
    )
    .execute(db);
}

async function addUnbilled(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('sums')
    .addColumn('unbilled', 'double precision', (c) => c.notNull().defaultTo(0))
    .execute();
  await sql
    .raw(
      `update sums set unbilled = round(coalesce(
         (select sum(${unbilled('c')}) from charges as c where c.batch = sums.batch and c.${RUNNING}), 0), 6)`,
    )
    .execute(db);
  const change = (batch: string, by: string): string =>
    `begin update sums set unbilled = round(unbilled + ${by}, 6) where batch = ${batch}; end`;
  const [before, after] = [unbilled('old'), unbilled('new')];
  for (const trigger of [
    `create trigger charges_unbilled after update of state, quoted, charged, charged_from, finished_at on charges
     when ${before} <> ${after} ${change('new.batch', `${after} - ${before}`)}`,
    `create trigger charges_unbilled_added after insert on charges when ${after} <> 0 ${change('new.batch', after)}`,
    `create trigger charges_unbilled_removed after delete on charges when ${before} <> 0 ${change('old.batch', `- ${before}`)}`,
  ]) {
    await sql.raw(trigger).execute(db);
  }
}

/** By how much a running job was announced as cheaper than it is quoted. */
function unbilled(c: string): string {
  return `(case when ${c}.state = 'accepted' and ${c}.finished_at is null and ${c}.charged_from = 'api'
    then max(0, coalesce(${c}.quoted, 0) - coalesce(${c}.charged, 0)) else 0 end)`;
}
