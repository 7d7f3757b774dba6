/** @slow */
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { rm } from 'node:fs/promises';
import { expectWhole, report } from '../support/batch-end.ts';
import { LiveWorld } from '../support/live-world.ts';
import { waitFor } from '../support/wait-for.ts';

const ROWS = 120;
const SUBMITS = 8;

describe('Temporal has forgotten the run', () => {
  let world: LiveWorld;
  /** Histories that are there at the end, at least. */
  let histories: number;

  beforeEach(async () => {
    world = await LiveWorld.create({ seed: 41, createMs: [20, 100], jobMs: [500, 2_000] });
    await world.prepare(ROWS);
    histories = 1;
  });
  afterEach(async () => {
    expect(await world.close()).toBeGreaterThanOrEqual(histories);
  });

  it('in mid-batch, its database deleted: nothing is paid twice, every row ends', async () => {
    // Where the machine is slow, kills may leave the first 20 rows unknown, which looks like the same failure everywhere.
    const run = ['run', 'lines.csv', '--rate', '15', '--halt', 'never'];
    for (const [kill, serverToo] of [true, false, true].entries()) {
      const running = world.start(run);
      await world.untilCharged((kill + 1) * 30);
      running.child.kill('SIGKILL');
      await running.ended;
      // Dead, or alive with its database gone from under it.
      if (serverToo) await killServer(world);
      await forget(world);
    }
    const paidBefore = world.simulator.ledger().length;
    const last = await world.run(run);
    const end = await expectWhole(world, 'lines', ROWS);
    report('temporal.db deleted in mid-batch, three times', { paidBefore, ...end });
    expect({ code: last.code, stderr: last.stderr }).toMatchObject({ code: end.unknown > 0 ? 13 : 0 });
    expect(end.unknown).toBeLessThanOrEqual(3 * SUBMITS);
  });

  it('after the end: no paid request for finished rows', async () => {
    const run = ['run', 'lines.csv'];
    expect(await world.run(run)).toMatchObject({ code: 0 });
    const paid = world.simulator.ledger().length;
    const results = await world.read('out', 'lines', 'results.csv');
    await forget(world);
    histories = 0;
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

async function killServer(world: LiveWorld): Promise<void> {
  const server = await world.server();
  if (server === undefined) throw new Error('there is no server to kill');
  process.kill(server.pid, 'SIGKILL');
  await waitFor(() => !world.processes().includes(server.pid));
}

async function forget(world: LiveWorld): Promise<void> {
  for (const suffix of ['', '-wal', '-shm', '-journal']) {
    await rm(world.path('.voxbatch', `temporal.db${suffix}`), { force: true });
  }
}
