/** @slow */
import { describe, expect, it } from '@jest/globals';
import { expectWhole, report } from '../support/batch-end.ts';
import { openCluster } from '../support/cluster.ts';
import { LiveWorld, type WorldOptions } from '../support/live-world.ts';
import { pendingLanes, type PendingLane } from '../support/pending-lanes.ts';
import type { TemporalPlace } from '../support/temporal-place.ts';

const ROWS = Number(process.env['VOXBATCH_TEST_ROWS'] ?? 200);
const KILLS = 5;
/** Paid requests on the wire at once, by default: what a kill can leave unknown. */
const SUBMITS = 8;
/** Temporal hands out this many submits ahead at most; the next paid request was certainly handed out after the kill. */
const HANDED_OUT = 16;
/** Where the machine is slow, kills may leave the first 20 rows unknown, which looks like the same failure everywhere. */
const RUN = ['run', 'lines.csv', '--halt', 'never'];
/**
 * Whoever comes sooner after a kill, in ms, finds a lane whose worker seems to live: ten seconds must pass since its last beat, and it beats
 * every two. (Half a second is usual.)
 */
const BEFORE_TIMEOUT_MS = 4_000;

describe('SIGKILL of a worker', () => {
  const options: WorldOptions = { seed: 31, createMs: [100, 300], jobMs: [1_000, 3_000], rows: ROWS, kinds: ['tts'] };

  it('the embedded one, five times with immediate restarts: its lanes are not waited for until they time out', async () => {
    const world = await LiveWorld.open(options);
    const backAfter: number[] = [];
    const lanes: PendingLane[] = [];
    let run = world.start(RUN);
    for (let kill = 1; kill <= KILLS; kill++) {
      await world.untilCharged(Math.ceil((kill * ROWS) / (KILLS + 1)));
      const killedAt = Date.now();
      await run.kill();
      run = world.start(RUN);
      if (kill === KILLS) break;
      await run.said('continuing');
      const isSoon = Date.now() - killedAt < BEFORE_TIMEOUT_MS;
      // What the dead one had on the wire was taken by then.
      backAfter.push(300 + (await world.chargedAfter(killedAt + 300)));
      if (isSoon) lanes.push(...(await pendingLanes(await placeOf(world))));
    }
    const { code } = await run.ended;
    const end = await expectWhole(world, 'lines', ROWS);
    report('embedded worker killed', { kills: KILLS, msFromKillToNextPaidRequest: backAfter, lanes, ...end });
    expect(code).toBe(end.unknown > 0 ? 13 : 0);
    expect(end.unknown).toBeLessThanOrEqual(SUBMITS * KILLS);
    expect(lanes.filter(({ failure }) => failure !== 'WorkerLost')).toEqual([]);
  });

  it('one of two of a cluster, several times: the other goes on', async () => {
    const { world, env, workers } = await openCluster(options, 2);
    const run = world.start([...RUN, '--rate', '15'], { env });
    const backAfter: number[] = [];
    for (let kill = 1; kill <= 3; kill++) {
      await world.untilCharged(Math.ceil((kill * ROWS) / 5));
      const killedAt = Date.now();
      await workers[kill % 2]?.kill();
      workers[kill % 2] = world.start(['worker'], { env });
      backAfter.push(await world.chargedAfter(killedAt, HANDED_OUT + 1));
    }
    const { code } = await run.ended;
    const end = await expectWhole(world, 'lines', ROWS);
    report('one of two workers killed', { msFromKillToThe17thPaidRequest: backAfter, ...end });
    expect(code).toBe(end.unknown > 0 ? 13 : 0);
    expect(end.unknown).toBeLessThanOrEqual(SUBMITS * 3);
    // The last one may still be starting.
    await Promise.all(workers.map((worker) => worker.said('Working for account')));
    await Promise.all(workers.map((worker) => worker.endInOrder()));
  });
});

/** The embedded server of a world. */
async function placeOf(world: LiveWorld): Promise<TemporalPlace> {
  return { address: `127.0.0.1:${String((await world.server())?.port)}`, namespace: 'default' };
}
