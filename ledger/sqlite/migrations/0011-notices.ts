import { sql, type Kysely, type Migration } from 'kysely';

/**
 * The outbox of `--on-end` and `--notify`. A trigger adds a notice in the very transaction in which a batch ends, or pauses by itself: no
 * kill can come between the two. Once released it is never edited; a change is a new migration.
 */
export const notices: Migration = { up };

/** What the notice is about, of a batch as it was and as it is. */
const EVENTS: readonly (readonly [event: string, condition: string])[] = [
  ['ended', `new.state = 'closed' and old.state = 'open'`],
  // A pause by hand keeps the reason of the one before, so the reason alone says nothing.
  [
    'paused',
    `new.state = 'open' and new.control = 'paused' and new.pause_reason is not null
     and (old.control <> 'paused' or old.pause_reason is null) and new.pause_reason is not old.pause_reason`,
  ],
];

/** Where it goes, by the setting of the batch that says so. */
const TARGETS: readonly (readonly [target: string, setting: string])[] = [
  ['command', '$.onEnd'],
  ['url', '$.notify'],
];

async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('notices')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('batch', 'text', (c) => c.notNull())
    .addColumn('event', 'text', (c) => c.notNull())
    .addColumn('target', 'text', (c) => c.notNull())
    .addColumn('made_at', 'integer', (c) => c.notNull())
    .addColumn('due_at', 'integer', (c) => c.notNull())
    .addColumn('tries', 'integer', (c) => c.notNull().defaultTo(0))
    .addColumn('trouble', 'text')
    .addColumn('ended_at', 'integer')
    .execute();
  // By the condition of the query that looks for work, word for word.
  await db.schema
    .createIndex('notices_due')
    .on('notices')
    .columns(['due_at'])
    .where(sql<boolean>`ended_at is null`)
    .execute();
  await db.schema.createIndex('notices_batch').on('notices').columns(['batch', 'made_at']).execute();
  const now = `cast((julianday('now') - 2440587.5) * 86400000 as integer)`;
  for (const [event, condition] of EVENTS) {
    const inserts = TARGETS.map(
      ([target, setting]) =>
        `insert into notices (id, batch, event, target, made_at, due_at)
         select lower(hex(randomblob(16))), new.name, '${event}', '${target}', ${now}, ${now}
         where json_extract(new.settings, '${setting}') is not null;`,
    );
    await sql
      .raw(
        `create trigger batches_${event} after update of state, control, pause_reason on batches
         when ${condition} begin ${inserts.join(' ')} end`,
      )
      .execute(db);
  }
}
