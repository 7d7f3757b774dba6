/** @slow */
import { describe, expect, it } from '@jest/globals';
import { expectWhole, report } from '../support/batch-end.ts';
import { changeRate, sentByWorker, untilSentBy } from '../support/batch-record.ts';
import { openCluster } from '../support/cluster.ts';
import type { WorldOptions } from '../support/live-world.ts';

describe('several workers of a cluster', () => {
  const options: WorldOptions = { seed: 71, createMs: [20, 60], jobMs: [300, 1_000], kinds: ['tts'] };

  it('keep results in one store: on a new ledger a second one is refused before there is any file', async () => {
    const { world, env, workers } = await openCluster({ ...options, rows: 4 }, 0);
    const withStore = (name: string): NodeJS.ProcessEnv => ({ ...env, VOXBATCH_STORE: name });
    workers.push(await world.startWorking(['worker'], { env: withStore('store-1') }));
    const refused = /kept in another store than .*store-2.*Nothing was spent.*VOXBATCH_STORE/;
    const worker = await world.run(['worker'], { env: withStore('store-2') });
    expect(worker).toMatchObject({ code: 2, stderr: expect.stringMatching(refused) });
    const run = await world.run(['run', 'lines.csv', '--detach'], { env: withStore('store-2') });
    expect(run).toMatchObject({ code: 2, stderr: expect.stringMatching(refused) });
    expect((await world.run(['doctor'], { env: withStore('store-2') })).stdout).toMatch(
      refused.source.split('.*')[0] ?? '',
    );
    expect(await world.run(['run', 'lines.csv'], { env: withStore('store-1') })).toMatchObject({ code: 0 });
    await expectWhole(world, 'lines', 4);
    await Promise.all(workers.map((one) => one.endInOrder()));
  });

  it.each(['run', 'worker', 'doctor'])(
    'in a namespace that Temporal lacks: %s says so, and records nothing',
    async (name) => {
      const { world, env } = await openCluster({ ...options, rows: 4 }, 0);
      const args = name === 'run' ? ['run', 'lines.csv', '--detach'] : [name];
      const { code, stdout, stderr } = await world.run(args, { env: { ...env, TEMPORAL_NAMESPACE: 'prdo' } });
      expect(code).toBe(4);
      expect(stdout + stderr).toMatch(
        /has no namespace "prdo".*TEMPORAL_NAMESPACE.*temporal operator namespace create .*--namespace prdo/,
      );
      expect(stdout + stderr).not.toContain('internal error');
      const list = await world.run(['list'], { env });
      expect(list.stdout).not.toContain('lines');
    },
  );

  it('all work on a small batch, also those that join later, and after one was killed', async () => {
    const rows = 220;
    const { world, env, workers } = await openCluster({ ...options, rows }, 2);
    // Rows are left only because they are sent slowly: all of them fit in the window of one worker.
    const run = world.start(['run', 'lines.csv', '--rate', '4', '--halt', 'never'], { env });
    await untilSentBy(world, 'lines', 2);
    // Even more slowly while others start, which takes long on a busy machine.
    await changeRate(world, 'lines', 1);
    workers.push(...(await Promise.all([1, 2].map(() => world.startWorking(['worker'], { env })))));
    const joinedAt = Date.now();
    await untilSentBy(world, 'lines', 4);
    const allAtWorkAfterMs = Date.now() - joinedAt;
    await workers[0]?.kill();
    await changeRate(world, 'lines', 40);
    const { code } = await run.ended;
    const end = await expectWhole(world, 'lines', rows);
    const sent = await sentByWorker(world, 'lines');
    report('four workers, two of them later', { allAtWorkAfterMs, sent, ...end });
    expect(code).toBe(end.unknown > 0 ? 13 : 0);
    expect(end.unknown).toBeLessThanOrEqual(8);
    await Promise.all(workers.slice(1).map((worker) => worker.endInOrder()));
  });

  it('are restarted one after the other, twice, with requests on the wire: no row is unknown, and none is paid twice', async () => {
    const rows = 160;
    const { world, env, workers } = await openCluster({ ...options, createMs: [500, 1_500], rows }, 3);
    const run = world.start(['run', 'lines.csv', '--rate', '4', '--submits', '16', '--halt', 'never'], { env });
    const endedAfterMs: number[] = [];
    for (let restarts = 0; restarts < 2 * workers.length; restarts++) {
      await world.untilCharged(12 * (restarts + 1));
      const toldAt = performance.now();
      await workers[restarts % workers.length]?.endInOrder();
      endedAfterMs.push(Math.round(performance.now() - toldAt));
      workers[restarts % workers.length] = await world.startWorking(['worker'], { env });
    }
    await changeRate(world, 'lines', null);
    expect(await run.ended).toMatchObject({ code: 0 });
    const end = await expectWhole(world, 'lines', rows);
    report('a rolling restart', { endedAfterMs, ...end });
    expect(end).toEqual({ rows, unknown: 0, charges: rows });
    await Promise.all(workers.map((worker) => worker.endInOrder()));
  });
});
