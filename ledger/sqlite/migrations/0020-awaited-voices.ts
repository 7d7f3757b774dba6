import { sql, type Kysely, type Migration } from 'kysely';

/**
 * Rows that speak with a voice that is not there yet: another row makes it (`voice_row`), or it is in training (`awaits`, its id). They are
 * `blocked`, so no claim sees them. The database itself settles them with the row that makes the voice, by a trigger: many
 * statements end rows or open them again. Once released it is never edited; a change is a new migration.
 */
export const awaitedVoices: Migration = { up };

const NOW = `cast((julianday('now') - 2440587.5) * 86400000 as integer)`;
/** Outcomes of a row that made its voice. */
const MADE = `('succeeded', 'cached')`;

/** Dependents of a row that wait. */
const waitingFor = (batch: string, maker: string): string =>
  `batch = ${batch} and voice_row = ${maker} and outcome is null and state = 'blocked'`;

/** Gives those rows the voice that was made. Nobody knows whether it is in training before somebody has looked. */
const useVoice = (maker: string): string => `
  insert into awaited_voices (batch, voice, name, since, due_at)
  select m.batch, m.text, json_extract(m.spec, '$.name'), ${NOW}, ${NOW} from rows m
  where m.batch = new.batch and m.row = ${maker} and m.outcome in ${MADE} and m.text is not null
    and exists (select 1 from rows where ${waitingFor('m.batch', 'm.row')})
  on conflict (batch, voice) do nothing;
  update rows set awaits = m.text, spec = json_set(rows.spec, '$.voice', m.text) from rows m
  where m.batch = new.batch and m.row = ${maker} and m.outcome in ${MADE} and m.text is not null
    and rows.batch = new.batch and rows.voice_row = ${maker} and rows.outcome is null and rows.state = 'blocked';`;

/** Ends those rows if the voice was not made. */
const giveUp = (maker: string): string => `
  update rows set outcome = 'failed', updated_at = ${NOW}, ended_at = ${NOW},
    failure = json_object('class', 'NoVoice', 'cause', 'the row that makes its voice did not succeed', 'message',
      'Row ' || m.row || ' (' || m.id || ') makes the voice of this row, and ended ' || m.outcome ||
      '. Nothing was sent for this row, nothing was charged. It goes on by itself once that row has succeeded.')
  from rows m
  where m.batch = new.batch and m.row = ${maker} and m.outcome is not null and (m.outcome not in ${MADE} or m.text is null)
    and rows.batch = new.batch and rows.voice_row = ${maker} and rows.outcome is null and rows.state = 'blocked';`;

async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('rows').addColumn('voice_row', 'integer').execute();
  await db.schema.alterTable('rows').addColumn('awaits', 'text').execute();
  for (const column of ['voice_row', 'awaits']) {
    await db.schema
      .createIndex(`rows_${column}`)
      .on('rows')
      .columns(['batch', column])
      .where(sql<boolean>`${sql.ref(column)} is not null`)
      .execute();
  }
  await db.schema
    .createTable('awaited_voices')
    .addColumn('batch', 'text', (c) => c.notNull())
    .addColumn('voice', 'text', (c) => c.notNull())
    .addColumn('name', 'text')
    .addColumn('since', 'integer', (c) => c.notNull())
    .addColumn('due_at', 'integer', (c) => c.notNull())
    .addPrimaryKeyConstraint('awaited_voices_key', ['batch', 'voice'])
    .execute();
  for (const trigger of TRIGGERS) await sql.raw(trigger).execute(db);
}

const TRIGGERS = [
  // A row that makes a voice has ended, or is open again. Its dependents that were given up come back.
  `create trigger rows_voice_made after update of outcome on rows
   when new.kind = 'voice' and old.outcome is not new.outcome
   begin
     update rows set outcome = null, failure = null, ended_at = null, state = 'blocked', lane = null, hold = hold + 1, updated_at = ${NOW}
     where batch = new.batch and voice_row = new.row and outcome = 'failed' and json_extract(failure, '$.class') = 'NoVoice'
       and (new.outcome is null or new.outcome in ${MADE});
     ${useVoice('new.row')}
     ${giveUp('new.row')}
     update batches set state = 'open', closed_at = null, stop_now = 0
     where name = new.batch and state = 'closed' and new.outcome in ${MADE}
       and exists (select 1 from rows where ${waitingFor('new.batch', 'new.row')});
   end`,
  // A dependent is open again, or is chosen at last, before it ever had its voice.
  `create trigger rows_voice_wanted after update of outcome on rows
   when new.voice_row is not null and old.outcome is not null and new.outcome is null
     and json_extract(new.spec, '$.voice') like 'name:%'
   begin
     update rows set state = 'blocked', lane = null where batch = new.batch and row = new.row;
     ${useVoice('new.voice_row')}
     ${giveUp('new.voice_row')}
   end`,
  // A row whose voice was in training is chosen at last.
  `create trigger rows_voice_awaited after update of outcome on rows
   when new.awaits is not null and old.outcome is not null and new.outcome is null and new.state = 'blocked'
   begin
     insert into awaited_voices (batch, voice, since, due_at) values (new.batch, new.awaits, ${NOW}, ${NOW})
     on conflict (batch, voice) do nothing;
   end`,
  `create trigger batches_voices_removed after delete on batches begin
     delete from awaited_voices where batch = old.name;
   end`,
];
