import { expect, it } from '@jest/globals';
import pg from 'pg';
import { LedgerAway } from '../../../ledger/errors.ts';
import { openDatabase, openLedger } from '../../../ledger/open-ledger.ts';
import { endAfterTest } from '../../support/end-after-test.ts';
import { makeReplaceableDatabase } from '../../support/replaceable-database.ts';
import { aKey, fill, INTENT } from '../setup.ts';

it('a process does not go on in another ledger that is put behind its address, and leaves nothing there', async () => {
  const [mine, theirs] = [await makeReplaceableDatabase(), await makeReplaceableDatabase()];
  const other = await openLedger(theirs.ledger, { makesTables: true });
  await fill(other, 2);
  await other.close();
  const worker = await openLedger(mine.ledger, { makesTables: true });
  await fill(worker, 2);
  expect(await worker.intend(aKey(1), INTENT)).toMatchObject({ type: 'go' });

  const putBack = await changePlaces(mine.ledger, theirs.ledger);
  await expect(worker.intend(aKey(2), INTENT)).rejects.toThrow('its database is now that of another ledger');
  await expect(worker.intend(aKey(2), INTENT)).rejects.toThrow(LedgerAway);
  const { db } = await openDatabase({ place: mine.ledger, mustExist: true });
  const left = await db.selectFrom('facts').select('name').execute();
  await db.destroy();
  expect(left.map(({ name }) => name).filter((name) => /^(before|commit|copy|set-back)/.test(name))).toEqual([]);
  await putBack();
  expect(await worker.intend(aKey(2), INTENT)).toMatchObject({ type: 'go' });
  await worker.close();
});

/** Gives two databases the names of each other. Returns what gives them their own again. */
async function changePlaces(...places: readonly [string, string]): Promise<() => Promise<void>> {
  const [one, other] = places.map((place) => new URL(place).pathname.slice(1)) as [string, string];
  const admin = new pg.Client({ connectionString: process.env['TEST_POSTGRES'] });
  await admin.connect();
  endAfterTest(() => admin.end());
  const change = async (): Promise<void> => {
    const cut = 'select pg_terminate_backend(pid) from pg_stat_activity where datname = any($1)';
    await admin.query(cut, [[one, other]]);
    for (const [from, to] of [
      [one, `${one}x`],
      [other, one],
      [`${one}x`, other],
    ] as const) {
      await admin.query(`alter database ${from} rename to ${to}`);
    }
  };
  await change();
  return change;
}
