import { expect, it, jest } from '@jest/globals';
import pg from 'pg';
import { LedgerAway } from '../../../ledger/errors.ts';
import { openLedger, openDatabase } from '../../../ledger/open-ledger.ts';
import { endAfterTest } from '../../support/end-after-test.ts';
import { Gate } from '../../support/gate.ts';
import { waitFor } from '../../support/wait-for.ts';
import { aKey, fill, INTENT } from '../setup.ts';
import { BEGIN_WRITING } from '../../../ledger/postgres/session.ts';
import { newPlace } from './new-place.ts';
import { openOther, waitingWriters } from './waiting-writers.ts';
import { makeReplaceableDatabase } from '../../support/replaceable-database.ts';

it('a ledger whose server is away is closed all the same', async () => {
  const { gate, through } = await Gate.before(newPlace());
  const ledger = await openLedger(through, { makesTables: true });
  await gate.shut();
  const waiting = expect(ledger.findBatch('b')).rejects.toBeInstanceOf(LedgerAway);
  await waitFor(async () => (await ledger.outage()) !== undefined);
  await expect(ledger.close()).rejects.toBeInstanceOf(LedgerAway);
  await waiting;
  await gate.open();
  await expect(ledger.findBatch('b')).rejects.toThrow('driver has already been destroyed');
});

// Shorter than a statement may take in a process that goes on.
it('a process that must end gives up what a silent line owes it, and asks for nothing more', async () => {
  const { gate, through } = await Gate.before(newPlace());
  const ledger = await openLedger(through, { makesTables: true, waits: true });
  await fill(ledger, 1);
  gate.hush();
  gate.refuse();
  const intent = expect(ledger.intend(aKey(1), INTENT)).rejects.toBeInstanceOf(LedgerAway);
  await ledger.stopWaiting();
  await intent;
  const query = jest.spyOn(pg.Client.prototype, 'query');
  await ledger.close().catch(() => undefined);
  expect(query).not.toHaveBeenCalled();
}, 50_000);

/** A new ledger, and a session of somebody else at it. */
async function makeLedger() {
  const place = newPlace();
  await (await openLedger(place, { makesTables: true })).close();
  return { place, other: await openOther(String(new URL(place).searchParams.get('schema'))) };
}

it('a session that waits for the lock ends when its client has gone, although the lock is still held', async () => {
  const { place, other } = await makeLedger();
  const { gate, through } = await Gate.before(place);
  const ledger = await openLedger(through);
  await fill(ledger, 1);
  await other.query(BEGIN_WRITING);
  const intent = ledger.intend(aKey(1), INTENT).catch(() => 'gone');
  await waitFor(async () => (await waitingWriters(other)) === 1);
  await gate.shut();
  expect(await intent).toBe('gone');
  await waitFor(async () => (await waitingWriters(other)) === 0);
  await ledger.close().catch(() => undefined);
}, 60_000);

it('a server that cannot look after its clients so is used all the same', async () => {
  const { place } = await makeLedger();
  // eslint-disable-next-line @typescript-eslint/unbound-method -- Called with its client below.
  const { query } = pg.Client.prototype;
  let refused = 0;
  jest.spyOn(pg.Client.prototype, 'query').mockImplementation(function (this: pg.Client, ...args: unknown[]) {
    const isIt = typeof args[0] === 'string' && args[0].startsWith('set client_connection_check_interval');
    // A value that every server refuses.
    if (isIt) refused += 1;
    return Reflect.apply(query, this, isIt ? ["set client_connection_check_interval = '-1'"] : args) as never;
  });
  const ledger = await openLedger(place);
  await fill(ledger, 1);
  expect((await ledger.intend(aKey(1), INTENT)).type).toBe('go');
  await ledger.close();
  expect(refused).toBeGreaterThan(0);
});

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
