import { sql, type Kysely, type Migration } from 'kysely';

/**
 * Words that had several meanings: the outcomes `rejected` and `refused` became `unfit` and `skipped`, the failure class `Rejected`
 * became `BadRequest`. Once released it is never edited; a change is a new migration.
 */
export const words: Migration = { up };

async function up(db: Kysely<unknown>): Promise<void> {
  for (const [was, is] of [
    ['rejected', 'unfit'],
    ['refused', 'skipped'],
  ] as const) {
    await sql`update rows set outcome = ${is} where outcome = ${was}`.execute(db);
    await replaceIn(db, 'takes', 'before', member('outcome', was), member('outcome', is));
  }
  const [was, is] = [member('class', 'Rejected'), member('class', 'BadRequest')];
  await replaceIn(db, 'rows', 'failure', was, is);
  await replaceIn(db, 'charges', 'failure', was, is);
  await replaceIn(db, 'batches', 'pause_reason', was, is);
  await replaceIn(db, 'takes', 'before', was, is);
}

/** A member as `JSON.stringify` writes it. A user's text cannot look like one: quotes in it are escaped. */
function member(name: string, value: string): string {
  return `"${name}":"${value}"`;
}

async function replaceIn(db: Kysely<unknown>, table: string, column: string, was: string, is: string): Promise<void> {
  const cell = sql.ref(column);
  await sql`update ${sql.table(table)} set ${cell} = replace(${cell}, ${was}, ${is}) where ${cell} like ${`%${was}%`}`.execute(
    db,
  );
}
