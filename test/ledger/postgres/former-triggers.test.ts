import { expect, it } from '@jest/globals';
import { sql } from 'kysely';
import { MIGRATION_TABLE } from '../../../ledger/migrate.ts';
import { openDatabase, openLedger } from '../../../ledger/open-ledger.ts';
import type { Db } from '../../../ledger/schema.ts';
import { expectKept } from '../recount.ts';
import { aKey, fill, INTENT } from '../setup.ts';
import { newPlace } from './new-place.ts';

/** Two triggers as they were before version 0.5: one has a successor of its name, one has none. */
const FORMER = [
  'drop trigger charges_added on charges',
  'drop function charges_added()',
  ...['charges_added', 'charges_ratio'].flatMap((name) => [
    `create function ${name}() returns trigger language plpgsql as
     $body$ begin update sums set sending = sending + 1 where batch = new.batch; return null; end $body$`,
    `create trigger ${name} after insert on charges for each row execute function ${name}()`,
  ]),
  `delete from ${MIGRATION_TABLE} where name = '0.6'`,
];

it('triggers of each line give way to those of each statement, while an older worker works on', async () => {
  const place = newPlace();
  const older = await openLedger(place, { makesTables: true });
  const { db } = await openDatabase({ place, mustExist: true });
  try {
    const made = await triggersOf(db);
    await fill(older, 3);
    for (const statement of FORMER) await sql.raw(statement).execute(db);
    expect(await older.intend(aKey(1), INTENT)).toMatchObject({ type: 'go' });
    // Both triggers have counted.
    await sql`update sums set sending = 1, sending_quoted = 2.5`.execute(db);
    await (await openLedger(place)).close();
    expect(await triggersOf(db)).toEqual(made);
    expect(await older.intend(aKey(2), INTENT)).toMatchObject({ type: 'go' });
    await expectKept(older, 'b');
  } finally {
    await Promise.all([older.close(), db.destroy()]);
  }
});

async function triggersOf(db: Db): Promise<readonly string[]> {
  const { rows } = await sql<{ readonly words: string }>`
    select pg_get_triggerdef(oid) as words from pg_trigger
    where not tgisinternal and tgrelid in (select oid from pg_class where relnamespace = current_schema()::regnamespace)
    order by 1`.execute(db);
  return rows.map(({ words }) => words);
}
