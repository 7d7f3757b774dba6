/** @slow */
import { describe, expect, it } from '@jest/globals';
import { rm } from 'node:fs/promises';
import { expectWhole, report } from '../support/batch-end.ts';
import { changeRate } from '../support/batch-record.ts';
import { openCluster } from '../support/cluster.ts';
import { LiveWorld, type WorldOptions } from '../support/live-world.ts';

const ROWS = 120;
const SUBMITS = 8;

const OPTIONS: WorldOptions = { seed: 41, createMs: [20, 100], jobMs: [500, 2_000], rows: ROWS };

describe('Temporal has forgotten the run', () => {
  it('in mid-batch, its database deleted: nothing is paid twice, every row ends', async () => {
    const world = await LiveWorld.open(OPTIONS);
    // Where the machine is slow, kills may leave the first 20 rows unknown, which looks like the same failure everywhere.
    const run = ['run', 'lines.csv', '--rate', '15', '--halt', 'never'];
    for (const [kill, serverToo] of [true, false, true].entries()) {
      const running = world.start(run);
      await world.untilCharged((kill + 1) * 30);
      await running.kill();
      // Dead, or alive with its database gone from under it.
      if (serverToo) await world.killServer(false);
      await forget(world);
    }
    const paidBefore = world.simulator.ledger().length;
    const last = await world.run(run);
    const end = await expectWhole(world, 'lines', ROWS);
    report('temporal.db deleted in mid-batch, three times', { paidBefore, ...end });
    expect({ code: last.code, stderr: last.stderr }).toMatchObject({ code: end.unknown > 0 ? 13 : 0 });
    expect(end.unknown).toBeLessThanOrEqual(3 * SUBMITS);
  });

  it('in mid-batch, as a cluster whose workers live on: they make the search attributes again, and go on by themselves', async () => {
    const { world, server, env, workers } = await openCluster({ ...OPTIONS, rows: 60 }, 0, { isOwn: true });
    workers.push(await world.startWorking(['worker', '--look-every', '1'], { env }));
    expect(await world.run(['run', 'lines.csv', '--rate', '1', '--detach'], { env })).toMatchObject({ code: 0 });
    await world.untilCharged(10);
    // Lanes go on without the server, and must not come to the end of the batch.
    await changeRate(world, 'lines', 0.2);
    await server.forget();
    await server.restart();
    await workers[0]?.said('continues with a new workflow');
    expect(await world.run(['run', 'lines.csv', '--rate', '30'], { env })).toMatchObject({ code: 0 });
    const end = await expectWhole(world, 'lines', 60);
    report('database of a cluster lost in mid-batch', end);
    await workers[0]?.endInOrder();
  });

  it('after the end: no paid request for finished rows', async () => {
    const world = await LiveWorld.open(OPTIONS);
    const run = ['run', 'lines.csv'];
    expect(await world.run(run)).toMatchObject({ code: 0 });
    const paid = world.simulator.ledger().length;
    const results = await world.read('out', 'lines', 'results.csv');
    await forget(world);
    world.forget();
    const begun = performance.now();
    expect(await world.run(run)).toMatchObject({ code: 0 });
    report('finished batch run again without temporal.db', {
      ms: Math.round(performance.now() - begun),
      paidRequests: world.simulator.ledger().length - paid,
    });
    expect(world.simulator.ledger()).toHaveLength(paid);
    expect(await world.read('out', 'lines', 'results.csv')).toBe(results);
  });
});

async function forget(world: LiveWorld): Promise<void> {
  for (const suffix of ['', '-wal', '-shm', '-journal']) {
    await rm(world.path('.voxbatch', `temporal.db${suffix}`), { force: true });
  }
}
