import { sql, type Kysely, type Migration } from 'kysely';

/**
 * Rows whose text is spoken in parts. Each part is a line of `rows` of its own (`part_of`: the row that it is a part of), numbered after
 * all rows of the manifest; the row itself (`parts`: how many it has) makes no request. The database settles the row with its parts, by a
 * trigger, because many statements end rows or open them again: once all have their results, it is free for whoever joins them. Kept
 * counts are of the manifest's rows, so parts are not among them. Once released it is never edited; a change is a new migration.
 */
export const parts: Migration = { up };

const NOW = `cast((julianday('now') - 2440587.5) * 86400000 as integer)`;
/** Outcomes of a part that has its result. */
const WELL = `('succeeded', 'cached')`;
/** Outcomes of the other ones, the gravest first. A row with an unfit part has no file, so it has failed. */
const GRAVE = ['unknown', 'overdue', 'failed', 'unfit', 'skipped', 'cancelled'];

const standing = (row: 'old' | 'new'): string => `coalesce(${row}.outcome, ${row}.state)`;
const one = (condition: string): string => `(case when ${condition} then 1 else 0 end)`;
const isRecent = (row: 'old' | 'new'): string =>
  one(
    `${row}.outcome is not null and ${row}.ended_at >= coalesce((select reopened_at from batches where name = ${row}.batch), 0)`,
  );
const reasonOf = (failure: string): string =>
  `json_extract(${failure}, '$.class'), coalesce(json_extract(${failure}, '$.cause'), '')`;

async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('rows').addColumn('part_of', 'integer').execute();
  await db.schema.alterTable('rows').addColumn('parts', 'integer').execute();
  await db.schema
    .createIndex('rows_part_of')
    .on('rows')
    .columns(['batch', 'part_of', 'row'])
    .where(sql<boolean>`part_of is not null`)
    .execute();
  await db.schema
    .createIndex('rows_open_parts')
    .on('rows')
    .columns(['batch', 'part_of'])
    .where(sql<boolean>`part_of is not null and outcome is null`)
    .execute();
  // It also answers what rows that are not chosen would cost, without their parts.
  await db.schema.dropIndex('rows_not_chosen').execute();
  await db.schema
    .createIndex('rows_not_chosen')
    .on('rows')
    .columns(['batch', 'outcome', 'ended_at', 'row', 'quoted', 'part_of'])
    .where(sql<boolean>`outcome = 'skipped' and ended_at is null`)
    .execute();
  for (const name of COUNTING) await sql.raw(`drop trigger ${name}`).execute(db);
  for (const trigger of [...countsOfRows(), ...reasonsOfRows(), SETTLE]) await sql.raw(trigger).execute(db);
}

const COUNTING = ['rows_added', 'rows_removed', 'rows_changed', 'batches_reopened', 'rows_reason', 'rows_reason_added'];

/** As in 0006, without parts. */
function countsOfRows(): readonly string[] {
  const add = `insert into row_counts values (new.batch, ${standing('new')}, 1, ${isRecent('new')})
    on conflict (batch, standing) do update set n = n + 1, recent = recent + excluded.recent;`;
  const take = `update row_counts set n = n - 1, recent = recent - ${isRecent('old')}
    where batch = old.batch and standing = ${standing('old')};`;
  return [
    `create trigger rows_added after insert on rows when new.part_of is null begin ${add} end`,
    `create trigger rows_removed after delete on rows when old.part_of is null begin ${take} end`,
    `create trigger rows_changed after update of state, outcome, ended_at on rows
     when new.part_of is null
       and (${standing('old')} <> ${standing('new')} or coalesce(old.ended_at, 0) <> coalesce(new.ended_at, 0))
     begin ${take} ${add} end`,
    `create trigger batches_reopened after update of reopened_at on batches begin
       update row_counts set recent = (select count(*) from rows
         where rows.batch = new.name and rows.part_of is null and rows.ended_at >= coalesce(new.reopened_at, 0)
           and rows.outcome = row_counts.standing)
       where batch = new.name;
     end`,
  ];
}

/** As in 0007 and 0010, without parts: a row has the reason of its gravest part. */
function reasonsOfRows(): readonly string[] {
  return [
    `create trigger rows_reason after update of failure, outcome on rows
     when new.part_of is null and (old.failure is not null or new.failure is not null)
       and (old.failure is not new.failure or (old.outcome is null) <> (new.outcome is null))
     begin
       update reasons set open = open - (old.outcome is null), ended = ended - (old.outcome is not null)
       where old.failure is not null and batch = old.batch and (class, cause) = (${reasonOf('old.failure')});
       insert into reasons (batch, class, cause, open, ended)
       select new.batch, ${reasonOf('new.failure')}, new.outcome is null, new.outcome is not null where new.failure is not null
       on conflict (batch, class, cause) do update set open = open + excluded.open, ended = ended + excluded.ended;
     end`,
    `create trigger rows_reason_added after insert on rows
     when new.part_of is null and new.failure is not null
     begin
       insert into reasons (batch, class, cause, open, ended)
       values (new.batch, ${reasonOf('new.failure')}, new.outcome is null, new.outcome is not null)
       on conflict (batch, class, cause) do update set open = open + excluded.open, ended = ended + excluded.ended;
     end`,
  ];
}

/** The row of the part that changed. */
const WHOLE = `batch = new.batch and row = new.part_of`;
const SIBLINGS = `s.batch = new.batch and s.part_of = new.part_of`;
const ARE_ALL_ENDED = `not exists (select 1 from rows s where ${SIBLINGS} and s.part_of is not null and s.outcome is null)`;
const gravity = (outcome: string): string =>
  `case ${outcome} ${GRAVE.map((name, at) => `when '${name}' then ${String(at)}`).join(' ')} end`;
/** A row that loses its file, or gets a take, has on record what it had before. */
const BEFORE = `select p.batch, p.row, max(p.take + (p.file is not null), new.take), coalesce(t.reason, 'redrive'), coalesce(t.from_step, 'speech'),
    coalesce(t.made_at, ${NOW}),
    json_object('outcome', p.outcome, 'failure', json(p.failure), 'file', json(p.file), 'extraFiles', json('[]'))
  from rows p left join takes t on t.batch = new.batch and t.row = new.row and t.take = new.take
  where p.batch = new.batch and p.row = new.part_of and (p.file is not null or p.take < new.take)`;

const SETTLE = `create trigger rows_part_changed after update of outcome, take on rows
  when new.part_of is not null and (old.outcome is not new.outcome or old.take <> new.take)
  begin
    insert into takes (batch, row, take, reason, from_step, made_at, before) ${BEFORE};
    update rows set take = max(take + (file is not null), new.take) where ${WHOLE} and (file is not null or take < new.take);
    update rows set outcome = null, failure = null, file = null, ended_at = null, state = 'blocked', lane = null, hold = hold + 1,
      updated_at = ${NOW}
    where ${WHOLE} and new.outcome is null and (outcome is not null or state <> 'blocked');
    update rows set outcome = null, failure = null, file = null, ended_at = null, state = 'fetching', lane = null, hold = hold + 1,
      updated_at = ${NOW}
    where ${WHOLE} and new.outcome in ${WELL} and ${ARE_ALL_ENDED}
      and not exists (select 1 from rows s where ${SIBLINGS} and s.outcome not in ${WELL});
    update rows set outcome = case w.outcome when 'unfit' then 'failed' else w.outcome end, failure = w.failure, file = null, ended_at = w.ended_at, updated_at = ${NOW},
      lane = null, hold = rows.hold + 1
    from (
      select s.outcome, s.ended_at, json_set(s.failure, '$.message', substr('Part ' || (s.row - f.first + 1) || ' of ' || f.n ||
        ' (' || s.id || ') ended ' || s.outcome || ': ' || json_extract(s.failure, '$.message'), 1, 500)) as failure
      from rows s join (
        select min(s.row) as first, count(*) as n from rows s where ${SIBLINGS} and s.part_of is not null
      ) f
      where ${SIBLINGS} and s.part_of is not null and s.outcome not in ${WELL}
      order by ${gravity('s.outcome')}, s.row limit 1
    ) w
    where rows.batch = new.batch and rows.row = new.part_of and new.outcome is not null and ${ARE_ALL_ENDED};
    update batches set state = 'open', closed_at = null, stop_now = 0
    where name = new.batch and state = 'closed'
      and exists (select 1 from rows p where p.batch = new.batch and p.row = new.part_of and p.outcome is null);
  end`;
