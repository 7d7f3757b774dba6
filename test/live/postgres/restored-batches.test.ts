/** @slow */
import { expect, it } from '@jest/globals';
import { LiveWorld } from '../../support/live-world.ts';
import { makeReplaceableDatabase, type ReplaceableDatabase } from '../../support/replaceable-database.ts';

/** Batches that had ended at the moment of the backup from which their ledger is restored. */

let database: ReplaceableDatabase;

async function openWorld(seed: number, rows: number, kind: string): Promise<LiveWorld> {
  database = await makeReplaceableDatabase();
  const { ledger } = database;
  return LiveWorld.open({ seed, createMs: [5, 10], jobMs: [50, 100], rows, kinds: [kind], ledger });
}

it('the next step of a row whose job a person names once more is not paid for again while the copy is in doubt', async () => {
  const world = await openWorld(11, 3, 'dub');
  const run = ['run', 'lines.csv', '--yes', '--submits', '1'];
  await world.run(run, { dieAt: 'after-answer:1' });
  await world.run(run);
  const [lost] = world.simulator.ledger();
  const row = /-lines-(\d+)-speech/.exec(lost?.idempotencyKey ?? '')?.[1] ?? '';
  await database.copy();
  const adopt = ['reconcile', 'lines', '--adopt', `r${row}=${lost?.jobId ?? ''}`];
  await world.run(adopt);
  const sent = world.simulator.ledger().length;
  await database.putCopy();

  expect(await world.run(['ledger', 'accept-copy'])).toMatchObject({ code: 0 });
  expect(await world.run(['ledger', 'compare-store'])).toMatchObject({ code: 0 });
  // It is paused now: 75.
  expect(await world.run(adopt)).toMatchObject({ code: 75 });
  expect(await world.run(run)).toMatchObject({ code: 75 });
  expect(world.simulator.ledger()).toHaveLength(sent);
  expect(await world.run(['resume', 'lines'])).toMatchObject({
    code: 4,
    stderr: expect.stringContaining('voxbatch ledger accept-copy --compared'),
  });
  expect(world.doubleCharges()).toEqual([]);
});
