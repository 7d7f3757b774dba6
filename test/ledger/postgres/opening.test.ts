import { expect, it } from '@jest/globals';
import pg from 'pg';
import { LedgerAway } from '../../../ledger/errors.ts';
import { openLedger } from '../../../ledger/open-ledger.ts';
import { openLine } from '../../support/line.ts';
import { waitFor } from '../../support/wait-for.ts';
import { newPlace } from './new-place.ts';

it('a process opens a new ledger whose schema another one is just creating', async () => {
  const place = newPlace();
  const other = new pg.Client(process.env['TEST_POSTGRES']);
  const looker = new pg.Client(process.env['TEST_POSTGRES']);
  await Promise.all([other.connect(), looker.connect()]);
  const creation = `create schema if not exists ${String(new URL(place).searchParams.get('schema'))}`;
  await other.query('begin');
  await other.query(creation);
  const opening = openLedger(place, { makesTables: true });
  const waits = "select 1 from pg_stat_activity where query = $1 and wait_event_type = 'Lock'";
  await waitFor(async () => (await looker.query(waits, [creation])).rows.length > 0);
  await other.query('commit');
  const ledger = await opening;
  expect(await ledger.listBatches()).toEqual([]);
  await Promise.all([ledger.close(), other.end(), looker.end()]);
});

it('a connection that breaks at its first question ends nothing but that try', async () => {
  let asked = 0;
  const { href } = await openLine(newPlace(), () => ({
    asked: (bytes) => bytes.includes('pg_control_system') && ++asked === 1,
  }));
  await expect(openLedger(href, { makesTables: true })).rejects.toThrow(LedgerAway);
  expect(asked).toBe(1);
  const ledger = await openLedger(href, { makesTables: true });
  expect(await ledger.listBatches()).toEqual([]);
  await ledger.close();
});

it('a database that goes away while a process opens it is waited for only some seconds, and for ever once it is open', async () => {
  const place = newPlace();
  await (await openLedger(place, { makesTables: true })).close();
  // As after the checks of the server.
  let goesAway = true;
  let isAway = false;
  const asked = (bytes: Buffer): boolean => (isAway ||= goesAway && bytes.includes('select * from "facts"'));
  const { href } = await openLine(place, () => (isAway ? undefined : { asked }));
  await expect(openLedger(href, { waits: true })).rejects.toThrow(LedgerAway);
  expect(isAway).toBe(true);

  goesAway = isAway = false;
  const ledger = await openLedger(href, { waits: true });
  goesAway = isAway = true;
  const listing = ledger.listBatches();
  await waitFor(async () => ((await ledger.outage())?.forMs ?? 0) > 11_000);
  isAway = false;
  goesAway = false;
  expect(await listing).toEqual([]);
  await ledger.close();
});
