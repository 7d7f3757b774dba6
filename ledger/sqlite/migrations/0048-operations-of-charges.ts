import { sql, type Kysely, type Migration } from 'kysely';

/**
 * Attempts that had ended when operations began to be kept get theirs, too: a budget that looks back counts each with its own, and some are
 * opened again, such as one whose job a person takes back. Once released it is never edited; a change is a new migration.
 */
export const operationsOfCharges: Migration = { up };

async function up(db: Kysely<unknown>): Promise<void> {
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
       where operation is null and state in ('accepted', 'done')`,
    )
    .execute(db);
}
