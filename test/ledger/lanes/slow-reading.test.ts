import { expect, it, jest } from '@jest/globals';
import { DummyDriver, Kysely, PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler } from 'kysely';
import { setTimeout as sleep } from 'node:timers/promises';
import { serverClock } from '../../../ledger/postgres/server-clock.ts';
import type { Schema } from '../../../ledger/schema.ts';
import { waitFor } from '../../support/wait-for.ts';

/** A database that says what its clock says after a while. */
class SlowServer extends DummyDriver {
  readings = 0;
  delayMs = 0;

  override acquireConnection() {
    return Promise.resolve({
      executeQuery: async () => {
        await sleep(this.delayMs);
        this.readings += 1;
        return { rows: [{ now: performance.timeOrigin + performance.now() }] as never[] };
      },
      streamQuery: (): never => {
        throw new Error('It reads no streams.');
      },
    });
  }
}

it('a reading that took long, because the database was away, does not change the clock', async () => {
  const server = new SlowServer();
  const db = new Kysely<Schema>({
    dialect: {
      createDriver: () => server,
      createAdapter: () => new PostgresAdapter(),
      createIntrospector: (one) => new PostgresIntrospector(one),
      createQueryCompiler: () => new PostgresQueryCompiler(),
    },
  });
  const clock = await serverClock(db);
  const { readings } = server;
  server.delayMs = 2_000;
  // A jump of this host's clock has the server's read again.
  const own = Date.now.bind(Date);
  jest.spyOn(Date, 'now').mockImplementation(() => own() + 60_000);
  clock.now();
  await waitFor(() => server.readings > readings);
  await sleep(0);
  expect(Math.abs(clock.now() - (performance.timeOrigin + performance.now()))).toBeLessThan(500);
  jest.restoreAllMocks();
});
