/** @slow */
import { describe, expect, it } from '@jest/globals';
import { expectWhole } from '../support/batch-end.ts';
import { changeRate, untilRecorded } from '../support/batch-record.ts';
import { VERSIONED_ROWS, VersionedCluster } from '../support/worker-versions.ts';

describe('with Worker Versioning', () => {
  it('a batch whose version has no worker left goes on with the current one, and nothing is paid twice', async () => {
    const versions = await VersionedCluster.open();
    const { world, env } = versions.cluster;
    const old = await versions.work('one');
    await versions.setCurrent('one');
    expect(await world.run(['run', 'lines.csv', '--rate', '1', '--detach'], { env })).toMatchObject({ code: 0 });
    await versions.untilRunBy('one');
    await world.untilCharged(3);
    // All of them at once, as an orchestrator does it that knows nothing of versions.
    await old.endInOrder();
    const fresh = await versions.work('two', '--look-every', '1');
    await versions.setCurrent('two');
    await fresh.said('continues with a new workflow: no worker of its version voxbatch:one is left.');
    await versions.untilRunBy('two');
    await changeRate(world, 'lines', 60);
    await untilRecorded(world, 'lines', ({ state }) => state === 'closed');
    expect((await versions.runs()).at(-1)).toEqual({ build: 'one', status: 'TERMINATED' });
    await world.run(['results', 'lines']);
    expect(await expectWhole(world, 'lines', VERSIONED_ROWS)).toMatchObject({ unknown: 0, charges: VERSIONED_ROWS });
    await fresh.endInOrder();
  });
});
