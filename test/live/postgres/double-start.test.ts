/** @slow */
import { expect, it } from '@jest/globals';
import pg from 'pg';
import { connectionTo } from '../../../ledger/postgres/connection-settings.ts';
import { saying } from '../../support/batch-end.ts';
import { endAfterTest } from '../../support/end-after-test.ts';
import { executeStatements } from '../../support/execute-statements.ts';
import { LiveWorld } from '../../support/live-world.ts';
import { postgresForTest } from '../../support/postgres-for-test.ts';
import { waitFor } from '../../support/wait-for.ts';

/** They are loaded in four transactions. */
const ROWS = 1_600;
const CHOSEN = 20;
const RUN = ['run', 'lines.csv', '--limit', `${CHOSEN}`];

it('a batch has all its rows where the database restarts in the midst of a double start', async () => {
  const server = await postgresForTest();
  const restart = async (): Promise<void> => {
    server.run('pg_ctl', '-D', server.data, '-w', '-m', 'fast', 'stop');
    await server.start();
  };
  // What a transaction holds that is prepared outlasts a restart.
  await executeStatements(server.url, 'alter system set max_prepared_transactions = 1');
  await restart();
  const world = await LiveWorld.open({
    ...{ seed: 7, createMs: [10, 20], jobMs: [50, 100], ledger: server.url, server: true },
    ...{ rows: ROWS, kinds: ['tts'] },
  });
  const ask = async <Line extends pg.QueryResultRow>(sql: string): Promise<readonly Line[]> => {
    const client = new pg.Client(connectionTo(server.url).config);
    client.on('error', () => undefined);
    await client.connect();
    try {
      return (await client.query<Line>(sql)).rows;
    } finally {
      await client.end();
    }
  };
  // The second rows that a load adds wait at the gate.
  await ask('create table public.gate ()');
  await ask(`create function at_gate() returns trigger language plpgsql as $$ begin
    if exists (select from rows) then lock table public.gate in access share mode; end if; return null; end $$`);
  await ask('create trigger at_gate before insert on rows for each statement execute function at_gate()');
  await ask(`begin; lock table public.gate in access exclusive mode; prepare transaction 'gate'`);
  endAfterTest(() => ask(`rollback prepared 'gate'`).catch(() => undefined));
  /** The sessions that hold the lock of loading, or ask for it again and again. */
  const loaders = (): Promise<readonly { readonly granted: boolean }[]> =>
    ask(`select l.pid is not null as granted from pg_stat_activity a
      left join pg_locks l on l.pid = a.pid and l.locktype = 'advisory' and l.granted
      where a.query like '%pg_try_advisory_lock(%' and a.pid <> pg_backend_pid()`);
  const stems = (): Promise<readonly { readonly stem: string; readonly rows: number }[]> =>
    ask('select stem, rows from batches');

  const first = world.start(RUN);
  await waitFor(async () => ((await stems())[0]?.rows ?? 0) > 0);
  const second = world.start(RUN);
  await waitFor(async () => (await loaders()).length === 2);
  const before = await stems();
  expect(before).toMatchObject([{ rows: 500 }]);
  await restart();
  await waitFor(async () => (await loaders()).some(({ granted }) => granted));
  await ask(`rollback prepared 'gate'`);

  const ends = await Promise.all([first.ended, second.ended]);
  expect(ends).toEqual([expect.objectContaining({ code: 0 }), expect.objectContaining({ code: 0 })]);
  // The second start took the load over.
  expect((await stems())[0]?.stem).not.toBe(before[0]?.stem);
  const outcomes = [...(await world.results('lines')).values()].map((row) => String(row['_outcome']));
  expect(outcomes.filter((outcome) => outcome === 'succeeded')).toHaveLength(CHOSEN);
  expect(outcomes.filter((outcome) => outcome === 'skipped')).toHaveLength(ROWS - CHOSEN);
  expect(await world.run(['verify', 'out/lines'])).toMatchObject({ code: 0 });
  expect(await world.run(RUN)).toMatchObject({ code: 0, stderr: saying('lines') });
  expect([world.charges('lines').size, world.doubleCharges()]).toEqual([CHOSEN, []]);
});
