/** @slow */
import { expect, it } from '@jest/globals';
import { expectWhole, saying } from '../../support/batch-end.ts';
import { LiveWorld } from '../../support/live-world.ts';
import { makeReplaceableDatabase } from '../../support/replaceable-database.ts';

const ROWS = 40;
const ACCEPT = 'voxbatch ledger accept-copy';

it('a copy that nobody has accepted is told of by looks and by whatever starts on it: run ends, workers wait until it is accepted, or they are told to end', async () => {
  const database = await makeReplaceableDatabase();
  const { ledger } = database;
  const world = await LiveWorld.open({ seed: 47, jobMs: [100, 500], rows: ROWS, kinds: ['tts'], ledger });
  const run = ['run', 'lines.csv', '--rate', '8'];
  const first = world.start(run);
  await world.untilCharged(ROWS / 4);
  first.child.kill('SIGINT');
  await first.ended;
  const sent = await world.untilTaken();
  await database.copy();
  await database.putCopy();

  expect((await world.run(['doctor'])).stdout).toMatch(new RegExp(`BAD +ledger .*${ACCEPT}`));
  for (const args of [['status', 'lines'], ['list'], ['ledger', 'check']])
    expect((await world.run(args)).stderr).toMatch(/a copy that nobody has accepted.*can only be looked at/);
  expect((await world.run(['status', 'lines'])).stdout).toContain(ACCEPT);
  // Not at work yet.
  expect(await world.run(run)).toMatchObject({ code: 4, stderr: saying(ACCEPT) });
  for (const args of [['worker'], ['up']]) {
    const waiting = world.start(args);
    await waiting.said(ACCEPT);
    waiting.child.kill('SIGTERM');
    expect(await waiting.ended).toMatchObject({ code: 4, stderr: saying('but a copy') });
  }
  const up = world.start(['up']);
  await up.said(ACCEPT);
  expect(world.charges().size).toBe(sent);
  expect(await world.run(['ledger', 'accept-copy'])).toMatchObject({ code: 0 });
  await up.said('answers again');
  await up.said('Working for account');
  expect(await world.run(['ledger', 'accept-copy', '--compared'])).toMatchObject({ code: 0 });
  expect(await world.run(['resume', 'lines'])).toMatchObject({ code: 0 });
  expect(await world.run(run)).toMatchObject({ code: 0 });
  await up.endInOrder();
  expect(await expectWhole(world, 'lines', ROWS)).toMatchObject({ charges: ROWS, unknown: 0 });
});
