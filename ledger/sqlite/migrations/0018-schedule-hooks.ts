import { sql, type Kysely, type Migration } from 'kysely';

/**
 * The hooks of a schedule, and the notices of occurrences that made no batch. As with those of batches, a trigger adds them in the very transaction that
 * puts the occurrence on record. Once released it is never edited; a change is a new migration.
 */
export const scheduleHooks: Migration = { up };

/** Where a notice goes, by the column of the schedule that says so. */
const TARGETS: readonly (readonly [target: string, column: string])[] = [
  ['command', 'on_end'],
  ['url', 'notify'],
];

/** The name that the batch of the occurrence would have. */
const BATCH = `new.schedule || '.' || strftime('%Y-%m-%dT%H-%M-%SZ', new.at / 1000, 'unixepoch')`;

/** A pause and the overlap policy are somebody's choice; a batch that gave up tells of itself. */
const IS_NEWS = `(new.state = 'failed' or (new.state = 'skipped' and new.cause in ('missed', 'month-budget')))
  and not exists (select 1 from batches where name = ${BATCH} and state <> 'loading')`;

async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('schedules').addColumn('on_end', 'text').execute();
  await db.schema.alterTable('schedules').addColumn('notify', 'text').execute();
  const now = `cast((julianday('now') - 2440587.5) * 86400000 as integer)`;
  const inserts = TARGETS.map(
    ([target, column]) =>
      `insert into notices (id, batch, event, target, made_at, due_at)
       select lower(hex(randomblob(16))), ${BATCH}, new.state, '${target}', ${now}, ${now}
       from schedules where name = new.schedule and ${column} is not null;`,
  ).join(' ');
  for (const [when, condition] of [
    ['insert', IS_NEWS],
    ['update of state', `old.state <> new.state and ${IS_NEWS}`],
  ] as const) {
    await sql
      .raw(
        `create trigger occurrences_${when.split(' ')[0] ?? ''} after ${when} on occurrences
         when ${condition} begin ${inserts} end`,
      )
      .execute(db);
  }
}
