/** @slow */
import { describe, expect, it } from '@jest/globals';
import { sentByWorker, untilRecorded } from '../support/batch-record.ts';
import { VERSIONED_ROWS, VersionedCluster } from '../support/worker-versions.ts';

describe('with Worker Versioning', () => {
  it('a batch whose version has no worker left goes on with the current one, and nothing is paid twice', async () => {
    const versions = await VersionedCluster.open();
    const { world } = versions.cluster;
    const old = await versions.begin('one');
    await world.untilCharged(3);
    await versions.pin('one');
    // All of them at once, as an orchestrator does it that knows nothing of versions.
    await old.endInOrder();
    const fresh = await versions.work('two', '--look-every', '1');
    await versions.setCurrent('two');
    // Whoever has pinned it wants it to stay.
    await fresh.said('somebody has pinned it to voxbatch:one, which has no worker');
    await versions.pin(undefined);
    await fresh.said('continues with a new workflow: no worker of its version voxbatch:one is left.');
    await versions.untilRunBy('two');
    expect(await versions.finish()).toMatchObject({ unknown: 0, charges: VERSIONED_ROWS });
    expect((await versions.runs()).at(-1)).toEqual({ build: 'one', status: 'TERMINATED' });
    await fresh.endInOrder();
  });

  it('back to workers without a version: a batch whose version has no worker left goes on with those', async () => {
    const versions = await VersionedCluster.open();
    const { world, env } = versions.cluster;
    const old = await versions.begin('one');
    await world.untilCharged(3);
    // Too early: the batch has not moved on.
    await old.endInOrder();
    await versions.setUnversioned();
    const plain = await world.startWorking(['worker', '--look-every', '1'], { env });
    await plain.said('no worker of its version voxbatch:one is left.');
    await versions.untilRunBy(undefined);
    expect(await versions.finish()).toMatchObject({ unknown: 0, charges: VERSIONED_ROWS });
    expect((await versions.runs()).at(-1)).toEqual({ build: 'one', status: 'TERMINATED' });
    await plain.endInOrder();
  });

  it('workers that only download fetch for all versions, also while a version is away, and for the one that a batch moves to', async () => {
    const versions = await VersionedCluster.open();
    const { world, env } = versions.cluster;
    const downloader = await world.startWorking(['worker', '--only', 'download', '--look-every', '1'], { env });
    const senders = ['--only', 'submit', '--look-every', '1'];
    const old = await versions.work('one', ...senders);
    await versions.setCurrent('one');
    const begin = ['run', 'lines.csv', '--rate', '2', '--window', '8', '--detach'];
    expect(await world.run(begin, { env })).toMatchObject({ code: 0 });
    await versions.untilRunBy('one');
    // More than fit in its window: what it has sent was fetched, and only the other one does that.
    await world.untilCharged(12);

    // Its version is the current one and comes back: nothing moves, however long another version waits beside it.
    const waiting = await versions.work('two', ...senders);
    await old.kill();
    await untilRecorded(world, 'lines', (_, { states }) => states.fetching === 0);
    const back = await versions.work('one', ...senders);
    await world.untilCharged(world.charges().size + 12);
    expect(await versions.runs()).toEqual([{ build: 'one', status: 'RUNNING' }]);

    await back.endInOrder();
    await versions.setCurrent('two');
    await waiting.said('no worker of its version voxbatch:one is left.');
    await versions.untilRunBy('two');
    // The former version is back after its batch has moved on: it gets nothing any more.
    const late = await versions.work('one', ...senders);
    // The killed one may have had a request on the wire, which nobody sends again.
    const { charges, unknown } = await versions.finish();
    expect(charges).toBeGreaterThanOrEqual(VERSIONED_ROWS - unknown);
    expect((await versions.runs()).slice(-1)).toEqual([{ build: 'one', status: 'TERMINATED' }]);
    expect(await sentByWorker(world, 'lines')).toHaveLength(3);
    await Promise.all([downloader, waiting, late].map((worker) => worker.endInOrder()));
  });
});
