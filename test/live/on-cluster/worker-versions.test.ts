/** @slow */
import { describe, expect, it } from '@jest/globals';
import { VERSIONED_ROWS, VersionedCluster } from '../../support/worker-versions.ts';
import { waitFor } from '../../support/wait-for.ts';

/** So many events that only a dozen wake-ups of a paused batch fill its history. */
const FULL = 150;

describe('with Worker Versioning', () => {
  it('a batch stays with the version that began it, moves to the current one when that changes, and back at a rollback', async () => {
    const versions = await VersionedCluster.open();
    const { world, env } = versions.cluster;
    const old = await versions.work('one');
    await old.said('set-current-version');
    await versions.setCurrent('one');
    expect(await world.run(['run', 'lines.csv', '--rate', '1', '--detach'], { env })).toMatchObject({ code: 0 });
    await versions.untilRunBy('one');
    const fresh = await versions.work('two', '--look-every', '1');
    await world.untilCharged(world.charges().size + 6);
    // It is there, and gets nothing yet.
    expect(await versions.runs()).toEqual([{ build: 'one', status: 'RUNNING' }]);

    await versions.setCurrent('two');
    // A slice takes minutes. A worker that is told to end gives it back at once; another one of its version moves on.
    const stays = await versions.work('one');
    await old.endInOrder();
    await versions.untilRunBy('two');
    await waitFor(async () => (await versions.drainage('one')) === 'drained');

    await versions.setCurrent('one');
    const last = await versions.work('two');
    await fresh.endInOrder();
    await versions.untilRunBy('one');
    expect(await versions.finish()).toMatchObject({ unknown: 0, charges: VERSIONED_ROWS });
    await waitFor(async () => (await versions.runs())[0]?.status === 'COMPLETED');
    expect(await versions.runs()).toEqual([
      { build: 'one', status: 'COMPLETED' },
      { build: 'two', status: 'CONTINUED_AS_NEW' },
      { build: 'one', status: 'CONTINUED_AS_NEW' },
    ]);
    await Promise.all([stays, last].map((worker) => worker.endInOrder()));
  });

  it('a batch moves at once also if it has continued as new before because its history was full', async () => {
    const versions = await VersionedCluster.open();
    const { world, env } = versions.cluster;
    const old = await versions.begin('one');
    await world.run(['pause', 'lines'], { env });
    await versions.continueAfter('lines', FULL);
    await waitFor(async () => {
      await versions.wake();
      return (await versions.runs()).some(({ status }) => status === 'CONTINUED_AS_NEW');
    });
    const fresh = await versions.work('two');
    await versions.setCurrent('two');
    // One survey fills no history: it moves because of the version, or not at all.
    await versions.wake();
    await versions.untilRunBy('two');
    await world.run(['resume', 'lines'], { env });
    await versions.finish();
    await Promise.all([old, fresh].map((worker) => worker.endInOrder()));
  });

  it('a batch goes from workers without a version to those with one, and back', async () => {
    const versions = await VersionedCluster.open();
    const { world, env } = versions.cluster;
    const plain = await world.startWorking(['worker'], { env });
    expect(await world.run(['run', 'lines.csv', '--rate', '1', '--detach'], { env })).toMatchObject({ code: 0 });
    await world.untilCharged(3);
    const build = await versions.work('one');
    await versions.setCurrent('one');
    await plain.endInOrder();
    await versions.untilRunBy('one');
    await world.untilCharged(world.charges().size + 3);

    await versions.setUnversioned();
    const back = await world.startWorking(['worker'], { env });
    const stays = await versions.work('one');
    await build.endInOrder();
    await versions.untilRunBy(undefined);
    expect(await versions.finish()).toMatchObject({ unknown: 0, charges: VERSIONED_ROWS });
    await Promise.all([stays, back].map((worker) => worker.endInOrder()));
  });
});
