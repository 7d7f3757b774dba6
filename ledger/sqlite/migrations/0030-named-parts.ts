import { sql, type Kysely, type Migration } from 'kysely';

/**
 * A row in parts ends with the words of its gravest part (0026), which now also name all others without a result. Once released it is never
 * edited; a change is a new migration.
 */
export const namedParts: Migration = { up };

async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(`drop trigger rows_part_changed`).execute(db);
  await sql.raw(SETTLE).execute(db);
}

const NOW = `cast((julianday('now') - 2440587.5) * 86400000 as integer)`;
/** Outcomes of a part that has its result. */
const WELL = `('succeeded', 'cached')`;
/** Outcomes of the other ones, the gravest first. A row with an unfit part has no file, so it has failed. */
const GRAVE = ['unknown', 'overdue', 'failed', 'unfit', 'skipped', 'cancelled'];
/** Parts that are named of each outcome. */
const NAMED = 5;

/** The row of the part that changed. */
const WHOLE = `batch = new.batch and row = new.part_of`;
const SIBLINGS = `s.batch = new.batch and s.part_of = new.part_of and s.part_of is not null`;
const ARE_ALL_ENDED = `not exists (select 1 from rows s where ${SIBLINGS} and s.outcome is null)`;
const gravity = (outcome: string): string =>
  `case ${outcome} ${GRAVE.map((name, at) => `when '${name}' then ${String(at)}`).join(' ')} end`;
/** A row that loses its file, or gets a take, has on record what it had before. */
const BEFORE = `select p.batch, p.row, max(p.take + (p.file is not null), new.take), coalesce(t.reason, 'redrive'), coalesce(t.from_step, 'speech'),
    coalesce(t.made_at, ${NOW}),
    json_object('outcome', p.outcome, 'failure', json(p.failure), 'file', json(p.file), 'extraFiles', json('[]'))
  from rows p left join takes t on t.batch = new.batch and t.row = new.row and t.take = new.take
  where p.batch = new.batch and p.row = new.part_of and (p.file is not null or p.take < new.take)`;

/** The parts without a result, by outcome: how many, and the ids of the first. */
const LACKING = `select s.outcome, count(*) as n, (
      select group_concat(x.id, ', ') from (
        select o.id from rows o where o.batch = new.batch and o.part_of = new.part_of and o.part_of is not null and o.outcome = s.outcome
        order by o.row limit ${String(NAMED)}
      ) x
    ) || case when count(*) > ${String(NAMED)} then ' …' else '' end as ids
  from rows s where ${SIBLINGS} and s.outcome not in ${WELL} group by s.outcome order by ${gravity('s.outcome')}`;

/** `2 of 9 parts have no result: 1 unknown (ch1#2), 1 failed (ch1#4). `; nothing if only one has none. */
const NAMES = `(
    select case when sum(g.n) = 1 then '' else sum(g.n) || ' of ' || f.n || ' parts have no result: ' ||
      group_concat(g.n || ' ' || g.outcome || ' (' || g.ids || ')', ', ') || '. ' end
    from (${LACKING}) g
  )`;

/** The gravest part. */
const GRAVEST = `select s.outcome, s.ended_at, json_set(s.failure, '$.message', substr(${NAMES} || 'Part ' || (s.row - f.first + 1) || ' of ' || f.n ||
      ' (' || s.id || ') ended ' || s.outcome || ': ' || json_extract(s.failure, '$.message'), 1, 500)) as failure
    from rows s join (select min(s.row) as first, count(*) as n from rows s where ${SIBLINGS}) f
    where ${SIBLINGS} and s.outcome not in ${WELL}
    order by ${gravity('s.outcome')}, s.row limit 1`;

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
    from (${GRAVEST}) w
    where rows.batch = new.batch and rows.row = new.part_of and new.outcome is not null and ${ARE_ALL_ENDED};
    update batches set state = 'open', closed_at = null, stop_now = 0
    where name = new.batch and state = 'closed'
      and exists (select 1 from rows p where p.batch = new.batch and p.row = new.part_of and p.outcome is null);
  end`;
