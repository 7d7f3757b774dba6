/** @slow */
import { describe, expect, it } from '@jest/globals';
import { readFile } from 'node:fs/promises';
import { expectWhole, report } from '../support/batch-end.ts';
import { changeRate, untilAtWork } from '../support/batch-record.ts';
import { openCluster } from '../support/cluster.ts';
import type { WorldOptions } from '../support/live-world.ts';
import { pendingLanes } from '../support/pending-lanes.ts';
import { waitFor } from '../support/wait-for.ts';

/** So few that the batch has one lane, and the second worker has nothing to do until the first stands still. */
const ROWS_OF_ONE_LANE = 50;
const ROWS_OF_TWO_LANES = 160;
/** Offers of the lane until the other has it: one to the worker that stops, one to the poll that it leaves behind, one to the other. */
const MAX_OFFERS = 3;

describe('lanes of a cluster change hands', () => {
  const options: WorldOptions = { seed: 61, createMs: [50, 150], jobMs: [300, 1_000], kinds: ['tts'] };

  it('when a worker is stopped between intent and send, beyond the heartbeat time-out, and continues: nothing is paid twice', async () => {
    const { world, server, env } = await openCluster({ ...options, rows: ROWS_OF_ONE_LANE }, 0);
    const frozen = await world.startWorking(['worker'], {
      env: { ...env, DIE_BY: 'SIGSTOP' },
      dieAt: 'after-intent:15',
    });
    const flags = ['--submits', '1', '--rate', '5', '--on-unknown', 'resubmit'];
    const run = world.start(['run', 'lines.csv', ...flags], { env });
    // The lane is the first worker's before there is another one to take it.
    await untilAtWork(world, 'lines', 1);
    const other = world.start(['worker'], { env });
    await waitFor(() => isStopped(frozen.child.pid));
    const stoppedAt = Date.now();
    // One at a time was sent before the 15th.
    expect(world.simulator.ledger().length).toBeLessThanOrEqual(14);
    // The other goes on while it stands.
    const nextPaidAfterMs = await world.chargedAfter(stoppedAt);
    await world.untilCharged(20);
    // So that there is still a lane to look at.
    await changeRate(world, 'lines', 0.2);
    expect(await isStopped(frozen.child.pid)).toBe(true);
    const lanes = await pendingLanes(server);
    expect(lanes).toHaveLength(1);
    expect(lanes[0]?.attempt).toBeLessThanOrEqual(MAX_OFFERS);
    // It sees that time has passed, and does not send what it had recorded.
    frozen.child.kill('SIGCONT');
    await changeRate(world, 'lines', 5);
    expect(await run.ended).toMatchObject({ code: 0 });
    const end = await expectWhole(world, 'lines', ROWS_OF_ONE_LANE);
    report('a worker stopped between intent and send', { nextPaidAfterMs, lanes, ...end });
    expect(end.unknown).toBe(0);
    expect(world.simulator.ledger()).toHaveLength(ROWS_OF_ONE_LANE);
    await Promise.all([frozen.endInOrder(), other.endInOrder()]);
  });

  it('when a worker is told to end: nothing is left in doubt, and the other goes on', async () => {
    const { world, env, workers } = await openCluster({ ...options, rows: ROWS_OF_TWO_LANES }, 2);
    // Slow where commands and processes are waited for, so that enough is left to do.
    const run = world.start(['run', 'lines.csv', '--rate', '0.5'], { env });
    await untilAtWork(world, 'lines', 2);
    await changeRate(world, 'lines', 8);
    await world.untilCharged(30);
    const toldAt = Date.now();
    const ended = workers[0]?.endInOrder();
    await changeRate(world, 'lines', 0.5);
    await ended;
    const endedAfterMs = Date.now() - toldAt;
    await changeRate(world, 'lines', 40);
    const nextPaidAfterMs = await world.chargedAfter(Date.now());
    expect(await run.ended).toMatchObject({ code: 0 });
    const end = await expectWhole(world, 'lines', ROWS_OF_TWO_LANES);
    report('a worker told to end', { endedAfterMs, nextPaidAfterMs, ...end });
    expect(end).toMatchObject({ unknown: 0, charges: ROWS_OF_TWO_LANES });
    await workers[1]?.endInOrder();
  });
});

/** True if the process has been stopped by a signal. */
async function isStopped(pid: number | undefined): Promise<boolean> {
  const stat = await readFile(`/proc/${String(pid)}/stat`, 'utf8').catch(() => '');
  return / T /.test(stat);
}
