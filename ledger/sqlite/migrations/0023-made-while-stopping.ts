import { sql, type Kysely, type Migration } from 'kysely';

/**
 * What a row that makes a voice does to the rows that wait for it, in a batch that is stopped or cleaned. With a maker that is
 * cancelled by a stop they are cancelled, too, wherever they stand: the stop ends rows in pages, and those of later pages had
 * failed. An answer that comes late brings them back no more if the batch was stopped, or if what they asked for was removed.
 * Once released it is never edited; a change is a new migration.
 */
export const madeWhileStopping: Migration = { up };

const NOW = `cast((julianday('now') - 2440587.5) * 86400000 as integer)`;
/** Outcomes of a row that made its voice. */
const MADE = `('succeeded', 'cached')`;
const WAITING = `batch = new.batch and voice_row = new.row and outcome is null and state = 'blocked'`;
const IS_STOPPING = `exists (select 1 from batches where name = new.batch and control = 'stopping')`;
const CAN_OPEN = `exists (select 1 from batches where name = new.batch and cleaning is null and rows_cleaned_at is null)`;

async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw('drop trigger rows_voice_made').execute(db);
  await sql.raw(TRIGGER).execute(db);
}

/** The one of migration 0020, but for stops and cleans. */
const TRIGGER = `create trigger rows_voice_made after update of outcome on rows
  when new.kind = 'voice' and old.outcome is not new.outcome
  begin
    update rows set outcome = null, failure = null, ended_at = null, state = 'blocked', lane = null, hold = hold + 1, updated_at = ${NOW}
    where batch = new.batch and voice_row = new.row and outcome = 'failed' and json_extract(failure, '$.class') = 'NoVoice'
      and ${CAN_OPEN} and (new.outcome is null or (new.outcome in ${MADE} and not ${IS_STOPPING}));

    insert into awaited_voices (batch, voice, name, since, due_at)
    select m.batch, m.text, json_extract(m.spec, '$.name'), ${NOW}, ${NOW} from rows m
    where m.batch = new.batch and m.row = new.row and m.outcome in ${MADE} and m.text is not null
      and exists (select 1 from rows where ${WAITING})
    on conflict (batch, voice) do nothing;
    update rows set awaits = m.text, spec = json_set(rows.spec, '$.voice', m.text) from rows m
    where m.batch = new.batch and m.row = new.row and m.outcome in ${MADE} and m.text is not null
      and rows.batch = new.batch and rows.voice_row = new.row and rows.outcome is null and rows.state = 'blocked';

    update rows set outcome = 'cancelled', failure = null, updated_at = ${NOW}, ended_at = ${NOW}
    where ${WAITING} and new.outcome = 'cancelled' and ${IS_STOPPING};
    update rows set outcome = 'failed', updated_at = ${NOW}, ended_at = ${NOW},
      failure = json_object('class', 'NoVoice', 'cause', 'the row that makes its voice did not succeed', 'message',
        'Row ' || m.row || ' (' || m.id || ') makes the voice of this row, and ended ' || m.outcome ||
        '. Nothing was sent for this row, nothing was charged. It goes on by itself once that row has succeeded.')
    from rows m
    where m.batch = new.batch and m.row = new.row and m.outcome is not null and (m.outcome not in ${MADE} or m.text is null)
      and rows.batch = new.batch and rows.voice_row = new.row and rows.outcome is null and rows.state = 'blocked';

    update batches set state = 'open', closed_at = null, stop_now = 0
    where name = new.batch and state = 'closed' and new.outcome in ${MADE}
      and exists (select 1 from rows where ${WAITING});
  end`;
