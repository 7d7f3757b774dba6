import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { expectWhole, report } from '../support/batch-end.ts';
import { LiveWorld } from '../support/live-world.ts';
import { TemporalServer } from '../support/temporal-server.ts';
import { waitFor } from '../support/wait-for.ts';

const ROWS = 120;
const KILLS = 4;
/** Paid requests per second, so that the batch lasts long enough to be killed in. */
const RATE = '12';
/** Longest time from the restart to the next paid request. */
const BACK_AT_WORK_MS = 30_000;
/** So many requests may have been about to go when the server died. */
const HANDED_OUT = 16;
/** A quarter of the rows has two steps. */
const PAID_REQUESTS = ROWS + ROWS / 4;

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
    const run = world.start(['run', 'lines.csv', '--rate', RATE]);
    const backAfter: number[] = [];
    for (let kill = 1; kill <= KILLS; kill++) {
      await world.untilCharged(kill * 20);
      const killed = await world.server();
      if (killed === undefined) throw new Error('there is no server to kill');
      process.kill(killed.pid, 'SIGKILL');
      await waitFor(async () => ((await world.server())?.pid ?? killed.pid) !== killed.pid);
      const restarted = await world.server();
      backAfter.push(await world.chargedAfter(Date.parse(restarted?.startedAt ?? ''), HANDED_OUT + 1));
    }
    const { code, stderr } = await run.ended;
    expect({ code, stderr }).toMatchObject({ code: 0 });
    report('embedded server killed; ms from restart to the 17th paid request after it', backAfter);
    for (const ms of backAfter) expect(ms).toBeLessThan(BACK_AT_WORK_MS);
    expect(await expectWhole(world, 'lines', ROWS)).toMatchObject({ unknown: 0 });
    expect(await world.processes()).toEqual([]);
  });

  it('of a cluster: the workers and the command wait for it and go on', async () => {
    const server = await TemporalServer.start(world.folder);
    try {
      const env = { TEMPORAL_ADDRESS: server.address };
      const workers = [world.start(['worker'], { env }), world.start(['worker'], { env })];
      await Promise.all(workers.map((worker) => worker.said('Working for account')));
      const run = world.start(['run', 'lines.csv', '--rate', RATE], { env });
      const backAfter: number[] = [];
      for (let kill = 1; kill <= KILLS; kill++) {
        await world.untilCharged(kill * 20);
        await server.kill();
        // A long time away: the command says so and stays.
        if (kill === 2) await run.said('Temporal does not answer');
        // Lanes go on without it, by the ledger alone.
        const restartedAt = Date.now();
        await server.restart();
        const isOver = world.simulator.ledger().length >= PAID_REQUESTS - HANDED_OUT;
        if (!isOver) backAfter.push(await world.chargedAfter(restartedAt, HANDED_OUT + 1));
      }
      const { code, stderr } = await run.ended;
      expect({ code, stderr }).toMatchObject({ code: 0 });
      report('cluster server killed; ms from restart to the 17th paid request after it', backAfter);
      for (const ms of backAfter) expect(ms).toBeLessThan(BACK_AT_WORK_MS);
      expect(await expectWhole(world, 'lines', ROWS)).toMatchObject({ unknown: 0 });
      for (const worker of workers) worker.child.kill('SIGTERM');
      expect((await Promise.all(workers.map((worker) => worker.ended))).map((end) => end.code)).toEqual([0, 0]);
    } finally {
      await server.kill();
    }
  });
});
