import { expect, it } from '@jest/globals';
import pg from 'pg';
import { openLedger } from '../../../ledger/open-ledger.ts';
import { connectionTo } from '../../../ledger/postgres/connection-settings.ts';
import { endAfterTest } from '../../support/end-after-test.ts';
import { waitFor } from '../../support/wait-for.ts';
import { aBatch } from '../setup.ts';
import { newPlace } from './new-place.ts';

/** A session of a person at the database of a ledger, in its schema. */
async function sessionAt(place: string): Promise<pg.Client> {
  const client = new pg.Client(connectionTo(place).config);
  await client.connect();
  endAfterTest(() => client.end());
  return client;
}

it('a full disk of the server is waited for by who works, with what to do, and named at once to who only asks', async () => {
  const place = newPlace();
  const working = await openLedger(place, { makesTables: true, waits: true });
  const asking = await openLedger(place);
  endAfterTest(() => Promise.all([working.close(), asking.close()]));
  const admin = await sessionAt(place);
  // What the server says when a file cannot grow.
  await admin.query(`
    create function full_disk() returns trigger language plpgsql as
      $$ begin raise exception 'could not extend file: No space left on device' using errcode = '53100'; end $$;
    create trigger full_disk before insert on batches for each row execute function full_disk()`);
  const creating = working.createBatch(aBatch('a'));
  await waitFor(async () => (await working.outage()) !== undefined);
  expect(await working.outage()).toMatchObject({
    needsPerson: true,
    problem: expect.stringContaining('the disk of the database server is full'),
  });
  const begunAt = performance.now();
  await expect(asking.createBatch(aBatch('b'))).rejects.toThrow(/disk of the database server is full.*Free some space/);
  expect(performance.now() - begunAt).toBeLessThan(5_000);
  await admin.query('drop trigger full_disk on batches');
  await creating;
  expect(await asking.findBatch('a')).toBeDefined();
});

it('a statement that an operator cancels, be it one that waits for the lock of writers, is repeated', async () => {
  const place = newPlace();
  const ledger = await openLedger(place, { makesTables: true, waits: true });
  endAfterTest(() => ledger.close());
  const [holder, admin] = [await sessionAt(place), await sessionAt(place)];
  await holder.query('begin; lock table batches in access exclusive mode');
  const creating = ledger.createBatch(aBatch('a'));
  const cancel = async (): Promise<number> => {
    const { rowCount } = await admin.query(
      `select pg_cancel_backend(pid) from pg_locks where not granted and relation = 'batches'::regclass`,
    );
    return rowCount ?? 0;
  };
  await waitFor(async () => (await cancel()) > 0);
  await holder.query('rollback');
  await creating;
  expect(await ledger.findBatch('a')).toBeDefined();
});
