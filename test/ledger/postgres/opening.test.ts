import { expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { connect, createServer, type AddressInfo } from 'node:net';
import { once } from 'node:events';
import pg from 'pg';
import { LedgerAway } from '../../../ledger/errors.ts';
import { openLedger } from '../../../ledger/open-ledger.ts';
import { waitFor } from '../../support/wait-for.ts';

const newPlace = (): URL => new URL(`${process.env['TEST_POSTGRES'] ?? ''}?schema=c${randomUUID().slice(0, 8)}`);

it('a process opens a new ledger whose schema another one is just creating', async () => {
  const place = newPlace();
  const other = new pg.Client(process.env['TEST_POSTGRES']);
  const looker = new pg.Client(process.env['TEST_POSTGRES']);
  await Promise.all([other.connect(), looker.connect()]);
  const creation = `create schema if not exists ${String(place.searchParams.get('schema'))}`;
  await other.query('begin');
  await other.query(creation);
  const opening = openLedger(place.href, { makesTables: true });
  const waits = "select 1 from pg_stat_activity where query = $1 and wait_event_type = 'Lock'";
  await waitFor(async () => (await looker.query(waits, [creation])).rows.length > 0);
  await other.query('commit');
  const ledger = await opening;
  expect(await ledger.listBatches()).toEqual([]);
  await Promise.all([ledger.close(), other.end(), looker.end()]);
});

it('a connection that breaks at its first question ends nothing but that try', async () => {
  const place = newPlace();
  const { hostname, port } = new URL(place);
  let cuts = 0;
  const line = createServer((client) => {
    const server = connect(Number(port), hostname);
    client
      .on('error', () => undefined)
      .on('data', (data) => {
        if (!data.includes('pg_control_system') || cuts > 0) server.write(data);
        else {
          cuts += 1;
          client.destroy();
          server.destroy();
        }
      });
    server.on('error', () => undefined).on('data', (data) => client.write(data));
    client.on('close', () => server.destroy());
  });
  line.listen(0, '127.0.0.1');
  await once(line, 'listening');
  place.port = String((line.address() as AddressInfo).port);
  await expect(openLedger(place.href, { makesTables: true })).rejects.toThrow(LedgerAway);
  const ledger = await openLedger(place.href, { makesTables: true });
  expect(await ledger.listBatches()).toEqual([]);
  await ledger.close();
  line.close();
  expect(cuts).toBe(1);
});

it('a database that goes away while a process opens it is waited for only some seconds, and for ever once it is open', async () => {
  const place = newPlace();
  await (await openLedger(place.href, { makesTables: true })).close();
  const { hostname, port } = new URL(place);
  // As after the checks of the server.
  let goesAway = true;
  let isAway = false;
  const line = createServer((client) => {
    if (isAway) return client.destroy();
    const server = connect(Number(port), hostname);
    const cut = (): void => {
      client.destroy();
      server.destroy();
    };
    client
      .on('error', () => undefined)
      .on('data', (data) => {
        isAway ||= goesAway && data.includes('select * from "facts"');
        if (isAway) cut();
        else server.write(data);
      })
      .on('close', cut);
    server.on('error', () => undefined).on('data', (data) => client.write(data));
    return client;
  });
  line.listen(0, '127.0.0.1');
  await once(line, 'listening');
  place.port = String((line.address() as AddressInfo).port);
  await expect(openLedger(place.href, { waits: true })).rejects.toThrow(LedgerAway);
  expect(isAway).toBe(true);

  goesAway = isAway = false;
  const ledger = await openLedger(place.href, { waits: true });
  goesAway = isAway = true;
  const listing = ledger.listBatches();
  await waitFor(async () => ((await ledger.outage())?.forMs ?? 0) > 11_000);
  isAway = false;
  goesAway = false;
  expect(await listing).toEqual([]);
  await ledger.close();
  line.close();
});
