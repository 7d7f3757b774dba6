import { expect, it, jest } from '@jest/globals';
import { DummyDriver, Kysely, PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler } from 'kysely';
import { setTimeout as sleep } from 'node:timers/promises';
import { serverClock } from '../../../ledger/postgres/server-clock.ts';
import type { Clock, Schema } from '../../../ledger/schema.ts';
import { Outage } from '../../../store/outage.ts';
import { waitFor } from '../../support/wait-for.ts';

/** A database that says what its clock says after a while. */
class SlowServer extends DummyDriver {
  readings = 0;
  delayMs = 0;
  aheadMs = 0;
  isAway = false;

  override acquireConnection() {
    return Promise.resolve({
      executeQuery: async () => {
        await sleep(this.delayMs);
        this.readings += 1;
        if (this.isAway) throw new Error('away');
        return { rows: [{ now: performance.timeOrigin + performance.now() + this.aheadMs }] as never[] };
      },
      streamQuery: (): never => {
        throw new Error('It reads no streams.');
      },
    });
  }
}

const outage = new Outage(10_000, () => ({ problem: 'away' }));

/** Its adapter. */
class Adapter extends PostgresAdapter {
  readonly outage = outage;

  beginUnit(): never {
    throw new Error('Nothing is written to it.');
  }
}

/** Reads the clock of this server. */
function clockOf(server: SlowServer): Promise<Clock> {
  return serverClock(
    new Kysely<Schema>({
      dialect: {
        createDriver: () => server,
        createAdapter: () => new Adapter(),
        createIntrospector: (one) => new PostgresIntrospector(one),
        createQueryCompiler: () => new PostgresQueryCompiler(),
      },
    }),
  );
}

/** How far this clock is ahead of the time, ms. */
const aheadOf = ({ now }: Clock): number => now() - (performance.timeOrigin + performance.now());

it('a reading that took long, because the database was away, does not change the clock', async () => {
  const server = new SlowServer();
  const clock = await clockOf(server);
  const { readings } = server;
  server.delayMs = 2_000;
  // A jump of this host's clock has the server's read again.
  const own = Date.now.bind(Date);
  jest.spyOn(Date, 'now').mockImplementation(() => own() + 60_000);
  clock.now();
  await waitFor(() => server.readings > readings);
  await sleep(0);
  expect(Math.abs(aheadOf(clock))).toBeLessThan(500);
});

it('after a sleep of this machine, the clock is read until a reading succeeds: it stood still meanwhile', async () => {
  const server = new SlowServer();
  const clock = await clockOf(server);
  const { readings } = server;
  server.aheadMs = 600_000;
  server.isAway = true;
  const own = Date.now.bind(Date);
  jest.spyOn(Date, 'now').mockImplementation(() => own() + 600_000);
  clock.now();
  await waitFor(() => server.readings > readings);
  server.isAway = false;
  await waitFor(() => aheadOf(clock) > 599_000, 10_000);
});

it('the clock of a server that was away is read again, also if that was asked for meanwhile: another one may have taken its place', async () => {
  const server = new SlowServer();
  const clock = await clockOf(server);
  server.aheadMs = -1_000;
  let isAway = true;
  const waiting = outage.repeat(() => (isAway ? Promise.reject(new Error('away')) : Promise.resolve()));
  // A reading that begins now takes too long to tell a second.
  server.delayMs = 2_500;
  const own = Date.now.bind(Date);
  jest.spyOn(Date, 'now').mockImplementation(() => own() + 60_000);
  clock.now();
  isAway = false;
  await waiting;
  server.delayMs = 0;
  await waitFor(() => aheadOf(clock) < -900, 10_000);
});
