import { sql, type Kysely, type Migration } from 'kysely';

/**
 * A row in parts ends with the words of its gravest part (0026). If others have no result either, the words name them, too. Once released it
 * is never edited; a change is a new migration.
 */
export const namedParts: Migration = { up };

async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(NAME_ALL).execute(db);
}

/** Parts that are named of each outcome. */
const NAMED = 5;
const PARTS = `p.batch = new.batch and p.part_of = new.row and p.part_of is not null`;
const GRAVE = ['unknown', 'overdue', 'failed', 'unfit', 'skipped', 'cancelled'];
const GRAVITY = `case p.outcome ${GRAVE.map((name, at) => `when '${name}' then ${String(at)}`).join(' ')} end`;

const LACKING = `select p.outcome, count(*) as n, (
    select group_concat(x.id, ', ') from (
      select o.id from rows o where o.batch = new.batch and o.part_of = new.row and o.part_of is not null and o.outcome = p.outcome
      order by o.row limit ${String(NAMED)}
    ) x
  ) || case when count(*) > ${String(NAMED)} then ' …' else '' end as names
  from rows p where ${PARTS} and p.outcome not in ('succeeded', 'cached')
  group by p.outcome order by ${GRAVITY}`;

const NAME_ALL = `create trigger rows_parts_named after update of failure on rows
  when new.parts is not null and new.outcome is not null and new.failure is not old.failure
    and json_extract(new.failure, '$.message') like 'Part % of % ended %'
  begin
    update rows set failure = json_set(new.failure, '$.message', substr(
      w.lacking || ' of ' || new.parts || ' parts have no result: ' || w.names || '. ' || json_extract(new.failure, '$.message'), 1, 500))
    from (
      select sum(g.n) as lacking, group_concat(g.n || ' ' || g.outcome || ' (' || g.names || ')', ', ') as names from (${LACKING}) g
    ) w
    where rows.batch = new.batch and rows.row = new.row and w.lacking > 1;
  end`;
