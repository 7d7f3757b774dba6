import { expect, it, jest } from '@jest/globals';
import { write } from '../../../ledger/database/transactions.ts';
import { CommitUnknown } from '../../../ledger/errors.ts';
import { databaseOf } from '../../../ledger/migrate.ts';
import { openDatabase } from '../../../ledger/open-ledger.ts';
import { postgres } from '../../../ledger/postgres/driver.ts';
import type { Db } from '../../../ledger/schema.ts';
import { endAfterTest } from '../../support/end-after-test.ts';
import { openLine } from '../../support/line.ts';
import { newPlace } from './new-place.ts';

/** A write that shows how often it was carried out. */
function addOne(db: Db): Promise<void> {
  return write(db, async (tx) => {
    await tx
      .insertInto('facts')
      .values({ name: 'n', value: '1' })
      .onConflict((conflict) => conflict.column('name').doUpdateSet((eb) => ({ value: eb('facts.value', '||', '1') })))
      .execute();
  });
}

it('a write of which nobody can tell whether it was kept is carried out once, and says so', async () => {
  const place = newPlace();
  // The line breaks when the answer to the next commit comes, and lets nobody through after that.
  let standing: 'up' | 'breaks' | 'down' = 'up';
  const isDown = (): boolean => standing === 'down';
  const answered = (bytes: Buffer): boolean => {
    if (standing === 'breaks' && bytes.includes('COMMIT\0')) standing = 'down';
    return isDown();
  };
  const { href } = await openLine(place, () => (isDown() ? undefined : { asked: isDown, answered }));
  const opened = await postgres.open(href, { mustExist: false, makesTables: true, patienceMs: 500 });
  const { db } = await databaseOf(opened, postgres, href, { hasReserve: false });
  endAfterTest(() => db.destroy());
  await addOne(db);
  standing = 'breaks';
  // Three at once are a group, which is not repeated piece by piece either.
  const told = await Promise.allSettled([addOne(db), addOne(db), addOne(db)]);
  expect(told.map((one) => one.status === 'rejected' && one.reason instanceof CommitUnknown)).toEqual([
    true,
    true,
    true,
  ]);
  const direct = await openDatabase({ place, mustExist: true });
  endAfterTest(() => direct.db.destroy());
  const kept = await direct.db.selectFrom('facts').select('value').where('name', '=', 'n').executeTakeFirst();
  // The first write of a group may have been alone in it.
  expect([2, 4]).toContain(kept?.value.length);
});

it('a process whose clock is a year ahead removes nothing of others', async () => {
  const place = newPlace();
  const one = await openDatabase({ place, mustExist: false, makesTables: true });
  endAfterTest(() => one.db.destroy());
  await addOne(one.db);
  const own = Date.now.bind(Date);
  jest.spyOn(Date, 'now').mockImplementation(() => own() + 366 * 86_400_000);
  const other = await openDatabase({ place, mustExist: true });
  await addOne(other.db);
  await other.db.destroy();
  jest.restoreAllMocks();
  // Its own mark would be missing otherwise, and the database taken for one that was set back.
  await addOne(one.db);
});
