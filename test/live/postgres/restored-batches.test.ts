/** @slow */
import { expect, it } from '@jest/globals';
import { expectWhole, saying } from '../../support/batch-end.ts';
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
  // It is paused now: 75.
  expect(await world.run(adopt)).toMatchObject({ code: 75 });
  // Nor by a run: the files of before the copy was accepted know of it.
  expect(await world.run(run)).toMatchObject({ code: 2, stderr: saying('has paid requests of 1 row') });
  expect(await world.run(['resume', 'lines'])).toMatchObject({
    code: 4,
    stderr: expect.stringContaining('voxbatch ledger accept-copy --compared'),
  });
  expect(world.simulator.ledger()).toHaveLength(sent);
  for (const command of ['ledger compare-store', 'reconcile lines', 'ledger accept-copy --compared'])
    expect(await world.run(command.split(' '))).toMatchObject({ code: 0 });
  expect(await world.run(run)).toMatchObject({ code: 0 });
  await expectWhole(world, 'lines', 3);
  expect(world.simulator.ledger()).toHaveLength(sent);
});

it('rows of a batch that was extended after the backup, and whose results are in the store, are not paid for again', async () => {
  const world = await openWorld(7, 12, 'tts');
  expect(await world.run(['run', 'lines.csv', '--limit', '3'])).toMatchObject({ code: 0 });
  await database.copy();
  expect(await world.run(['run', 'lines.csv', '--yes'])).toMatchObject({ code: 0 });
  await database.putCopy();

  expect(await world.run(['ledger', 'accept-copy'])).toMatchObject({ code: 0 });
  expect(await world.run(['ledger', 'accept-copy', '--compared'])).toMatchObject({ code: 0 });
  // Also whoever forgets to compare the store: the out folder knows.
  const refused = expect.stringContaining('has paid requests of 9 rows of batch "lines"');
  expect(await world.run(['run', 'lines.csv', '--yes'])).toMatchObject({ code: 2, stderr: refused });
  expect(await world.run(['redrive', 'lines', '--rows', 'r9', '--yes'])).toMatchObject({ code: 2, stderr: refused });
  expect(await world.run(['plan', 'lines.csv'])).toMatchObject({ stderr: refused });
  expect(await world.run(['ledger', 'compare-store'])).toMatchObject({
    code: 0,
    stderr: expect.stringContaining('Batch "lines": 9 rows have their results'),
  });
  expect(await world.run(['reconcile', 'lines'])).toMatchObject({ code: 0 });
  expect(await world.run(['run', 'lines.csv', '--yes'])).toMatchObject({ code: 0 });
  await expectWhole(world, 'lines', 12);
  expect(world.simulator.ledger()).toHaveLength(12);
});
