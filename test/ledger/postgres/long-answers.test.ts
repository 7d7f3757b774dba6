/** @slow */
import { expect, it } from '@jest/globals';
import { Kysely, sql } from 'kysely';
import { openSide } from '../../../ledger/copy/open-side.ts';
import { LedgerAway } from '../../../ledger/errors.ts';
import { openLedger } from '../../../ledger/open-ledger.ts';
import { postgres } from '../../../ledger/postgres/driver.ts';
import { endAfterTest } from '../../support/end-after-test.ts';
import { newPlace } from './new-place.ts';

/** Longer than ordinary work waits for an answer, s. */
const LONG_S = 62;

it('are waited for by a copy and a check, which go over whole tables, and by no other work', async () => {
  const place = newPlace();
  await (await openLedger(place, { makesTables: true })).close();
  const dialect = await postgres.open(place, { mustExist: true, patienceMs: 0 });
  const ordinary = new Kysely<unknown>({ dialect });
  const { database } = await openSide(place);
  endAfterTest(async () => {
    await ordinary.destroy();
    await database.db.destroy();
  });
  const asked = sql<{ answer: string }>`select 'here' as answer, pg_sleep(${LONG_S})`;
  const [short, long] = await Promise.allSettled([
    ordinary.transaction().execute((tx) => asked.execute(tx)),
    database.db.transaction().execute((tx) => asked.execute(tx)),
  ]);
  expect(short).toMatchObject({ status: 'rejected', reason: expect.any(LedgerAway) });
  expect(long).toMatchObject({ status: 'fulfilled', value: { rows: [{ answer: 'here' }] } });
}, 180_000);
