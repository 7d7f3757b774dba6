/** @slow */
import { expect, it } from '@jest/globals';
import { expectWhole, report, saying } from '../../support/batch-end.ts';
import { changeRate } from '../../support/batch-record.ts';
import { LiveWorld } from '../../support/live-world.ts';
import { postgresForTest } from '../../support/postgres-for-test.ts';

const ROWS = 120;
/** Paid requests a second, and how many of them the replica does not hear of: two seconds. */
const RATE = 8;
const MISSED = 2 * RATE;
const RUN = ['run', 'lines.csv', '--rate', String(RATE), '--halt', 'never'];

it('nothing is sent on a replica that took over and lacks the last records, until a person has accepted it', async () => {
  const primary = await postgresForTest();
  const replica = await primary.replicate();
  const kinds = ['tts'];
  const world = await LiveWorld.open({
    seed: 43,
    createMs: [50, 150],
    jobMs: [500, 2_000],
    rows: ROWS,
    kinds,
    ledger: primary.url,
  });
  const run = world.start(RUN);
  await world.untilCharged(ROWS / 4);
  // A command takes long to start on a busy machine.
  await changeRate(world, 'lines', 0.5);
  await world.run(['results', 'lines']);
  // The last that somebody writes who will not be there to record it again.
  await changeRate(world, 'lines', RATE);
  replica.fallBehind();
  await world.untilCharged(world.charges().size + MISSED);
  primary.kill();
  // A person is told of both: that it is away, and then that what answers is a copy.
  await run.said('does not answer. Nothing is sent until it does');
  await replica.takeOver();
  await run.said('voxbatch ledger accept-copy');
  const sent = await world.untilTaken();
  const unaccepted = 'a copy that nobody has accepted';
  expect(await world.run(['results', 'lines'])).toMatchObject({ code: 4, stderr: saying(unaccepted) });
  expect(await world.run(['ledger', 'accept-copy'])).toMatchObject({ code: 0, stderr: saying('Paused: lines') });
  // What runs is fetched, and nothing sent.
  const paused = await run.ended;
  expect(paused).toMatchObject({ code: 75, stderr: saying('Batch "lines" is paused') });
  expect(paused.stderr).toContain('those are kept in out/lines/before-copy-');
  expect(world.charges().size).toBe(sent);

  expect(await world.run(['resume', 'lines'])).toMatchObject({ code: 0 });
  const { code } = await world.start(RUN).ended;
  const end = await expectWhole(world, 'lines', ROWS);
  report('failover to a replica that is behind', { sent, ...end });
  // The process that had sent what the replica lacks was there to record it again.
  expect({ code, unknown: end.unknown, charges: end.charges }).toEqual({ code: 0, unknown: 0, charges: ROWS });
});
