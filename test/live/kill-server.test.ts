/** @slow */
import { describe, expect, it } from '@jest/globals';
import { expectWhole, report } from '../support/batch-end.ts';
import { changeRate } from '../support/batch-record.ts';
import { openCluster } from '../support/cluster.ts';
import type { Running } from '../support/live-command.ts';
import { LiveWorld, type WorldOptions } from '../support/live-world.ts';

const ROWS = 160;
const KILLS = 4;
/** Paid requests per second while the server runs. */
const RATE = 12;
/** And while it is away: lanes go on without it, by the ledger alone, and must not come to the end of the batch. */
const RATE_WITHOUT = 0.2;
/** So many requests may have been about to go when the server died. */
const HANDED_OUT = 16;

const OPTIONS: WorldOptions = { seed: 21, createMs: [20, 200], jobMs: [500, 2_000], rows: ROWS };

describe('SIGKILL of the Temporal server', () => {
  /** Runs a batch while the server is killed now and then, which the command must survive. */
  async function runThroughKills(
    { world, env = {} }: { readonly world: LiveWorld; readonly env?: NodeJS.ProcessEnv },
    kill: (nth: number, run: Running) => Promise<void>,
  ): Promise<void> {
    const run = world.start(['run', 'lines.csv', '--rate', String(RATE)], { env });
    const backAfter: number[] = [];
    for (let nth = 1; nth <= KILLS; nth++) {
      await world.untilCharged(nth * 20);
      await kill(nth, run);
      await changeRate(world, 'lines', RATE);
      backAfter.push(await world.chargedAfter(Date.now(), HANDED_OUT + 1));
    }
    await changeRate(world, 'lines', 60);
    const { code, stderr } = await run.ended;
    expect({ code, stderr }).toMatchObject({ code: 0 });
    report('server killed; ms from restart to the 17th paid request after it', backAfter);
    expect(await expectWhole(world, 'lines', ROWS)).toMatchObject({ unknown: 0 });
  }

  it('embedded: the command restarts it and goes on', async () => {
    const world = await LiveWorld.open(OPTIONS);
    await runThroughKills({ world }, async () => {
      const isBack = world.killServer();
      await changeRate(world, 'lines', RATE_WITHOUT);
      await isBack;
    });
    expect(world.processes()).toEqual([]);
  });

  it('of a cluster: the workers and the command wait for it and go on', async () => {
    const { world, server, env, workers } = await openCluster(OPTIONS, 2, { isOwn: true });
    await runThroughKills({ world, env }, async (nth, run) => {
      await server.kill();
      await changeRate(world, 'lines', RATE_WITHOUT);
      // A long time away: the command says so and stays.
      if (nth === 2) await run.said('Temporal does not answer');
      await server.restart();
    });
    await Promise.all(workers.map((worker) => worker.endInOrder()));
  });
});
