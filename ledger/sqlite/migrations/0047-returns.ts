import { sql, type Kysely, type Migration } from 'kysely';

/**
 * The take whose result a person went back to, and of which take each request uses what an earlier step made. A row whose result was accepted
 * in the middle of a chain now says by `redo_from` that its take pays only for what follows. Once released it is never edited; a change is a
 * new migration.
 */
export const returns: Migration = { up };

/** The take whose speech a request was made with: until then the last one, or the accepted one. */
const FROM_TAKE = `coalesce(
  (select r.accepted_take from rows r
    where r.batch = charges.batch and r.row = charges.row and r.take = charges.take and charges.step = 'lip-sync'),
  (select max(s.take) from charges s
    where s.batch = charges.batch and s.row = charges.row and s.step = 'speech' and s.take <= charges.take))`;

async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('rows').addColumn('returned_to', 'integer').execute();
  await db.schema.alterTable('charges').addColumn('from_take', 'integer').execute();
  await sql.raw(`update charges set from_take = ${FROM_TAKE} where step in ('verification', 'lip-sync')`).execute(db);
  await sql.raw(`update rows set redo_from = 'lip-sync' where accepted_take is not null and kind = 'dub'`).execute(db);
}
