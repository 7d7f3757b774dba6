/** @slow */
import { expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { expectWhole, report, saying } from '../support/batch-end.ts';
import { LiveWorld } from '../support/live-world.ts';

const ROWS = 60;
/** Paid requests on the wire at once, by default: what a kill can leave unknown. */
const SUBMITS = 8;
const RUN = ['run', 'lines.csv', '--halt', 'never'];
const OLD = '.voxbatch/ledger.db';
const PASSWORD = 'open-sesame';

/** Under `npm run test:postgres` the ledger moves into that database and back; else to another file. */
function newPlace(): string {
  const server = process.env['TEST_POSTGRES'];
  if (server === undefined) return 'elsewhere/ledger.db';
  const url = new URL(server);
  url.password = PASSWORD;
  url.searchParams.set('schema', `m${randomUUID().slice(0, 8)}`);
  return url.href;
}

it('an open batch whose ledger moves ends at the new place with the same counts and money, whenever worker and copy are killed; the old place sends nothing', async () => {
  const world = await LiveWorld.open({ seed: 22, createMs: [50, 150], jobMs: [500, 1_500], rows: ROWS });
  const place = newPlace();
  const env = { VOXBATCH_LEDGER: place };
  const copy = ['ledger', 'copy', OLD, place, '--yes'];
  const killedAt = async (moment: string): Promise<void> => {
    expect(await world.start(copy, { dieAt: `copy-${moment}:1` }).ended).toMatchObject({ signal: 'SIGKILL' });
  };
  const workUntil = async (charges: number): Promise<void> => {
    const run = world.start(RUN);
    await world.untilCharged(charges);
    await run.kill();
  };
  await workUntil(ROWS / 4);

  // Until it is marked, the old one goes on, and the new one refuses.
  await killedAt('filling');
  await killedAt('filled');
  const refused = { code: 4, stderr: saying('is being filled from') };
  expect(await world.run(RUN, { env })).toMatchObject(refused);
  await workUntil(ROWS / 2);
  await killedAt('marking');

  // Between mark and opening neither sends; then only the new one.
  await killedAt('moved');
  const before = world.simulator.ledger().length;
  expect(await world.run(RUN, { env })).toMatchObject(refused);
  expect(await world.run([...copy, '--json'])).toMatchObject({ code: 0, stdout: saying('"result":"completed"') });
  const moved = { code: 4, stderr: saying('has moved to') };
  for (const command of [
    RUN,
    ['worker'],
    ['up'],
    ['say', 'Hello.', '--voice', 'v'],
    ['redrive', 'lines'],
    ['pause', 'lines'],
  ])
    expect([command, await world.run(command)]).toMatchObject([command, moved]);
  const shown = await world.run(['status', 'lines', '--json']);
  expect(shown).toMatchObject({ stdout: saying('"batch":"lines"'), stderr: saying('has moved to') });
  expect(world.simulator.ledger()).toHaveLength(before);
  const fresh = await world.run(['status', 'lines', '--json'], { env });
  // The pace is that of the last minute.
  const view = { ...(JSON.parse(shown.stdout) as object), rows_per_second: expect.anything() };
  expect(JSON.parse(fresh.stdout)).toEqual(view);

  const { code, stderr } = await world.run(RUN, { env });
  const end = await expectWhole(world, 'lines', ROWS);
  report('ledger moved in mid-batch', { to: place.split(':')[0], ...end });
  expect([code, stderr]).toEqual([end.unknown > 0 ? 13 : 0, expect.anything()]);
  expect(end.unknown).toBeLessThanOrEqual(2 * SUBMITS);
  expect(world.doubleCharges()).toEqual([]);
  expect(await world.run(['ledger', 'check', '--json'], { env })).toMatchObject({ code: 0 });

  // And back, into a file.
  const there = await world.run(['status', 'lines', '--json'], { env });
  const back = await world.run(['ledger', 'copy', place, 'back.db', '--yes']);
  expect(back).toMatchObject({ code: 0, stdout: saying('are the same on both sides') });
  const here = await world.run(['status', 'lines', '--json'], { env: { VOXBATCH_LEDGER: 'back.db' } });
  expect(JSON.parse(here.stdout)).toEqual(JSON.parse(there.stdout));
  for (const said of [shown, fresh, there, back, here]) expect(said.stdout + said.stderr).not.toContain(PASSWORD);
});
