/** @slow */
import { expect, it } from '@jest/globals';
import { report, saying } from '../../support/batch-end.ts';
import { LiveWorld } from '../../support/live-world.ts';
import { waitFor } from '../../support/wait-for.ts';
import { postgresForTest } from '../../support/postgres-for-test.ts';

/** Rows that are sent before the failover, and after it; and how many more would show that the former primary is gone on with. */
const BEFORE = 20;
const AFTER = 70;
const MORE = 30;

it('rows that were sent on an accepted copy are not sent again once the former primary answers at the address', async () => {
  const primary = await postgresForTest();
  const replica = await primary.replicate();
  const world = await LiveWorld.open({
    seed: 5,
    createMs: [50, 150],
    jobMs: [300, 600],
    rows: 150,
    kinds: ['tts'],
    ledger: primary.url,
    server: true,
  });
  const one = await world.startWorking(['worker']);
  const two = await world.startWorking(['worker']);
  const run = world.start(['run', 'lines.csv', '--rate', '6', '--halt', 'never', '--yes']);
  await world.untilCharged(BEFORE);
  primary.kill();
  await replica.takeOver();
  await run.said('voxbatch ledger accept-copy');
  expect(await world.run(['ledger', 'accept-copy'])).toMatchObject({ code: 0 });
  await run.ended;
  await waitFor(async () => (await world.run(['resume', 'lines'])).code === 0);
  await world.untilCharged(AFTER);
  // As in a rolling restart: only one is left that has written to the replica.
  await two.endInOrder();
  const before = world.charges().size;
  replica.kill();
  await primary.start();
  // Commands that begin now are told by the worker that is left.
  let told = '';
  await waitFor(async () => {
    told = (await world.run(['results', 'lines'])).stderr;
    return told.includes('a copy that nobody has accepted') || world.charges().size >= before + MORE;
  });
  expect(world.doubleCharges()).toEqual([]);
  expect(told).toEqual(saying('a copy that nobody has accepted'));
  report('the former primary answers again', { before, sent: world.charges().size });
  await one.kill();
});
