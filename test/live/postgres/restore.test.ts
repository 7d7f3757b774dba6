/** @slow */
import { expect, it } from '@jest/globals';
import { readPage } from '../../docs/pages.ts';
import { expectWhole, report } from '../../support/batch-end.ts';
import { changeRate } from '../../support/batch-record.ts';
import { LiveWorld } from '../../support/live-world.ts';
import { makeReplaceableDatabase } from '../../support/replaceable-database.ts';

const ROWS = 40;
// So slow that the batch is paused in its middle also on a busy machine.
const RUN = ['run', 'lines.csv', '--rate', '3', '--halt', 'never'];

/** The commands of the guide for a ledger from a backup, for this batch. */
function commandsFor(batch: string): readonly string[] {
  const [, section = ''] = readPage('docs/guide/cluster.md').split('## A ledger from a backup\n');
  const blocks = (section.split(/^## /m)[0] ?? '').matchAll(/^ *```sh\n(.*?)^ *```/gms);
  const lines = [...blocks].flatMap(([, commands = '']) => commands.split('\n'));
  return lines.map((line) => line.trim().replace('BATCH', batch)).filter((line) => line !== '');
}

it('by the steps of the guide, a ledger from a backup pays for no row twice whose result is in the store', async () => {
  const database = await makeReplaceableDatabase();
  const { ledger } = database;
  const world = await LiveWorld.open({ seed: 53, jobMs: [100, 500], rows: ROWS, kinds: ['tts'], ledger });
  const first = world.start(RUN);
  await world.untilCharged(ROWS / 4);
  await first.kill();
  await database.copy();
  const since = world.charges().size;

  const second = world.start(RUN);
  await world.untilCharged(ROWS / 2);
  // A command takes long to start on a busy machine.
  await changeRate(world, 'lines', 0.3);
  // What was sent ends, and its results are stored.
  await world.run(['pause', 'lines']);
  await second.ended;
  const sent = world.charges().size;
  expect(sent).toBeLessThan(ROWS);
  await database.putCopy();

  const commands = commandsFor('lines');
  expect(commands).toContain('voxbatch ledger compare-store');
  for (const command of commands) {
    const { code, stderr } = await world.run(command.split(' ').slice(1));
    // The batch is paused until the last of them.
    const isPaused = command.includes('reconcile');
    expect({ command, code, stderr }).toEqual({ command, code: isPaused ? 75 : 0, stderr });
  }
  expect(world.charges().size).toBe(sent);
  await world.start(RUN).ended;
  const end = await expectWhole(world, 'lines', ROWS);
  report('restored from a backup', { since, sent, ...end });
  expect(end.charges).toBe(ROWS);
  expect(world.doubleCharges()).toEqual([]);
});
