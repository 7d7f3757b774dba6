/** @slow */
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { expectWhole, report } from '../support/batch-end.ts';
import { changeRate } from '../support/batch-record.ts';
import { LiveWorld } from '../support/live-world.ts';
import { TemporalServer } from '../support/temporal-server.ts';
import { waitFor } from '../support/wait-for.ts';

const ROWS = 160;
const KILLS = 4;
/** Paid requests per second while the server runs. */
const RATE = 12;
/** And while it is away: lanes go on without it, by the ledger alone, and must not come to the end of the batch. */
const RATE_WITHOUT = 0.2;
/** So many requests may have been about to go when the server died. */
const HANDED_OUT = 16;

describe('SIGKILL of the Temporal server', () => {
  let world: LiveWorld;

  beforeEach(async () => {
    world = await LiveWorld.create({ seed: 21, createMs: [20, 200], jobMs: [500, 2_000] });
    await world.prepare(ROWS);
  });
  afterEach(async () => {
    expect(await world.close()).toBeGreaterThan(0);
  });

  it('embedded: the command restarts it and goes on', async () => {
    const run = world.start(['run', 'lines.csv', '--rate', String(RATE)]);
    const backAfter: number[] = [];
    for (let kill = 1; kill <= KILLS; kill++) {
      await world.untilCharged(kill * 20);
      const killed = await world.server();
      if (killed === undefined) throw new Error('there is no server to kill');
      process.kill(killed.pid, 'SIGKILL');
      await changeRate(world, 'lines', RATE_WITHOUT);
      await waitFor(async () => {
        const server = await world.server();
        return server?.clusterId !== undefined && server.pid !== killed.pid;
      });
      await changeRate(world, 'lines', RATE);
      backAfter.push(await world.chargedAfter(Date.now(), HANDED_OUT + 1));
    }
    await changeRate(world, 'lines', 60);
    const { code, stderr } = await run.ended;
    expect({ code, stderr }).toMatchObject({ code: 0 });
    report('embedded server killed; ms from restart to the 17th paid request after it', backAfter);
    expect(await expectWhole(world, 'lines', ROWS)).toMatchObject({ unknown: 0 });
    expect(world.processes()).toEqual([]);
  });

  it('of a cluster: the workers and the command wait for it and go on', async () => {
    const server = await TemporalServer.start(world.folder);
    try {
      const env = { TEMPORAL_ADDRESS: server.address };
      const workers = [world.start(['worker'], { env }), world.start(['worker'], { env })];
      await Promise.all(workers.map((worker) => worker.said('Working for account')));
      const run = world.start(['run', 'lines.csv', '--rate', String(RATE)], { env });
      const backAfter: number[] = [];
      for (let kill = 1; kill <= KILLS; kill++) {
        await world.untilCharged(kill * 20);
        await server.kill();
        await changeRate(world, 'lines', RATE_WITHOUT);
        // A long time away: the command says so and stays.
        if (kill === 2) await run.said('Temporal does not answer');
        await server.restart();
        await changeRate(world, 'lines', RATE);
        backAfter.push(await world.chargedAfter(Date.now(), HANDED_OUT + 1));
      }
      await changeRate(world, 'lines', 60);
      const { code, stderr } = await run.ended;
      expect({ code, stderr }).toMatchObject({ code: 0 });
      report('cluster server killed; ms from restart to the 17th paid request after it', backAfter);
      expect(await expectWhole(world, 'lines', ROWS)).toMatchObject({ unknown: 0 });
      for (const worker of workers) worker.child.kill('SIGTERM');
      expect((await Promise.all(workers.map((worker) => worker.ended))).map((end) => end.code)).toEqual([0, 0]);
    } finally {
      await server.kill();
    }
  });
});
