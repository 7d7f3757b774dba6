import { sql, type Kysely, type Migration } from 'kysely';

/**
 * Copies of earlier results get their operations, too: while a job is read for the lost file of one, a budget looks at it as at any job that
 * runs. And a job whose price was told at its end keeps it as known while it is read again. Once released it is never edited; a change is a
 * new migration.
 */
export const knownPrices: Migration = { up };

async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('charges').addColumn('priced_at', 'integer').execute();
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
       where operation is null and state in ('accepted', 'cached')`,
    )
    .execute(db);
}
