/** @slow */
import { describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { connectionTo } from '../../../ledger/postgres/connection-settings.ts';
import { expectWhole, report, saying } from '../../support/batch-end.ts';
import { changeRate } from '../../support/batch-record.ts';
import { cutAtCommits } from '../../support/commit-cutter.ts';
import { endAfterTest } from '../../support/end-after-test.ts';
import { executeStatements } from '../../support/execute-statements.ts';
import { LiveWorld, type WorldOptions } from '../../support/live-world.ts';
import { postgresForTest } from '../../support/postgres-for-test.ts';
import { newPostgresSchema } from '../../support/postgres-schema.ts';

const ROWS = 120;
const KILLS = 6;
const CUTS = 60;
const OPTIONS: WorldOptions = { seed: 41, createMs: [50, 150], jobMs: [500, 2_000], rows: ROWS, kinds: ['tts'] };
/** Slow enough that there is something to disturb. */
const RUN = ['run', 'lines.csv', '--rate', '8', '--halt', 'never'];

describe('a batch whose ledger is in PostgreSQL', () => {
  it('goes on by itself when the server is killed and started again: nothing is lost, in doubt or paid twice', async () => {
    const server = await postgresForTest();
    const world = await LiveWorld.open({ ...OPTIONS, ledger: server.url });
    const run = world.start(RUN);
    await world.untilCharged(1);
    // A command takes long to start on a busy machine.
    await changeRate(world, 'lines', 0.5);
    const watch = world.start(['watch', 'lines']);
    // It waits for a database that it has reached once.
    await watch.said('/120 done');
    await changeRate(world, 'lines', 8);
    for (let kill = 1; kill <= KILLS; kill++) {
      await world.untilCharged(Math.ceil((kill * ROWS) / (KILLS + 2)));
      server.kill();
      if (kill === 1) for (const one of [run, watch]) await one.said('does not answer. Nothing is sent until it does');
      await server.start();
      if (kill === 1) for (const one of [run, watch]) await one.said('answers again');
    }
    const { code } = await run.ended;
    expect(await watch.ended).toMatchObject({ code: 0 });
    const end = await expectWhole(world, 'lines', ROWS);
    report('database server killed', { kills: KILLS, ...end });
    expect({ code, unknown: end.unknown, charges: end.charges }).toEqual({ code: 0, unknown: 0, charges: ROWS });
  });

  it('loses nothing where the line is cut right at commits: what was committed is found out', async () => {
    // 120 rows make some 170 commits: many rows share each.
    const cuts = { every: 2, most: CUTS, before: 0, after: 0 };
    const world = await LiveWorld.open({ ...OPTIONS, ledger: await cutAtCommits(newPostgresSchema(), cuts) });
    const { code } = await world.start(RUN).ended;
    const end = await expectWhole(world, 'lines', ROWS);
    report('line cut at commits', { ...cuts, ...end });
    expect(cuts).toMatchObject({ before: CUTS / 2, after: CUTS / 2 });
    expect({ code, unknown: end.unknown, charges: end.charges }).toEqual({ code: 0, unknown: 0, charges: ROWS });
  });

  it('waits for a person when the disk of the server is full, keeps the answers, and goes on by itself', async () => {
    const ledger = newPostgresSchema();
    const world = await LiveWorld.open({ ...OPTIONS, ledger });
    const admin = new pg.Client(connectionTo(ledger).config);
    await admin.connect();
    endAfterTest(() => admin.end());
    await admin.query(`create function full_disk() returns trigger language plpgsql as
      $$ begin raise exception 'could not extend file: No space left on device' using errcode = '53100'; end $$`);
    const run = world.start(RUN);
    await world.untilCharged(ROWS / 4);
    await admin.query(
      'create trigger full_disk before insert or update on charges for each row execute function full_disk()',
    );
    await run.said(/Nothing is sent until that is mended.*the disk of the database server is full/);
    // Those that were on the wire arrive.
    const charged = await world.untilTaken();
    // Longer than answers were kept before.
    await new Promise((resolve) => setTimeout(resolve, 12_000));
    expect(world.charges().size).toBe(charged);
    await admin.query('drop trigger full_disk on charges');
    await run.said('answers again');
    const { code } = await run.ended;
    const end = await expectWhole(world, 'lines', ROWS);
    report('disk of the database server full', { charged, ...end });
    expect({ code, unknown: end.unknown, charges: end.charges }).toEqual({ code: 0, unknown: 0, charges: ROWS });
  });

  it('ends when it is told to although the server is away, and goes on later', async () => {
    const server = await postgresForTest();
    const world = await LiveWorld.open({ ...OPTIONS, ledger: server.url });
    const run = world.start(RUN);
    await world.untilCharged(ROWS / 4);
    server.kill();
    await run.said('does not answer. Nothing is sent until it does');
    run.child.kill('SIGINT');
    const first = await run.ended;
    expect(first).toMatchObject({ stderr: saying('cannot be used: the database server cannot be reached') });
    expect(await world.run(['status'])).toMatchObject({
      code: 4,
      stderr: saying('the database server cannot be reached'),
    });
    await server.start();
    const { code } = await world.start(RUN).ended;
    const end = await expectWhole(world, 'lines', ROWS);
    report('ended while the database server was away', { first: first.code, ...end });
    expect(code).toBe(end.unknown > 0 ? 13 : 0);
    // What was on the wire when the process had to end.
    expect(end.unknown).toBeLessThanOrEqual(8);
  });

  it('says that its user has too few connections for the lock of workers, and goes on once there are more', async () => {
    const user = `u${randomUUID().slice(0, 8)}`;
    const server = newPostgresSchema();
    await executeStatements(server, `create role ${user} login`, `create database ${user} owner ${user}`);
    const url = new URL(`/${user}`, server);
    url.username = user;
    const world = await LiveWorld.open({ ...OPTIONS, rows: 2, ledger: url.href });
    await executeStatements(server, `alter role ${user} connection limit 2`);
    const run = world.start(['run', 'lines.csv']);
    await run.said('too many connections');
    await executeStatements(server, `alter role ${user} connection limit -1`);
    expect(await run.ended).toMatchObject({ code: 0 });
  });
});
