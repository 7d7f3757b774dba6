/** @slow */
import { platform } from 'node:os';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { expectWhole, report, saying } from '../support/batch-end.ts';
import { changeRate } from '../support/batch-record.ts';
import { LiveWorld } from '../support/live-world.ts';

const ROWS = 60;

describe('run --detach', () => {
  let world: LiveWorld;

  beforeEach(async () => {
    world = await LiveWorld.open({ seed: 71, createMs: [20, 100], jobMs: [500, 2_000], rows: ROWS });
  });

  it('returns at once (0); the batch goes on, says so, ends by itself, writes its files and leaves no process', async () => {
    // So slow that it is not at its end before the commands have looked.
    const detached = await world.run(['run', 'lines.csv', '--rate', '0.5', '--detach', '--json']);
    const words = { stdout: saying('"exit":"started"'), stderr: saying('voxbatch status lines') };
    expect(detached).toMatchObject({ code: 0, ...words });
    await world.untilCharged(2);
    const named = / process (\d+) \(voxbatch up, since 20\S+Z\) works here in the background[.] To end it: kill \1\n/;
    // Only Linux names who holds a lock.
    const hidden: unknown = platform() === 'linux' ? expect.stringMatching(named) : expect.any(String);
    expect(await world.run(['status', 'lines'])).toMatchObject({ code: 75, stdout: hidden });
    const follower = world.start(['run', 'lines.csv']);
    await follower.said(' running, ');
    follower.child.kill('SIGINT');
    expect(await follower.ended).toMatchObject({ code: 130, stderr: saying('another process goes on with the batch') });
    expect(await world.run(['pause', 'lines'])).toMatchObject({ code: 0 });
    const again = await world.run(['run', 'lines.csv', '--detach']);
    expect(again).toMatchObject({ code: 0, stderr: saying('is paused. Continue with: voxbatch resume') });
    expect(await world.run(['resume', 'lines'])).toMatchObject({ code: 0 });
    await changeRate(world, 'lines', 60);
    await world.untilAlone();
    expect(await world.status('lines')).toMatchObject({ state: 'closed', exit: 'complete' });
    expect(await expectWhole(world, 'lines', ROWS)).toMatchObject({ unknown: 0 });
  });

  it('of a batch whose command was killed goes on with it, and a later run follows it', async () => {
    const first = world.start(['run', 'lines.csv', '--rate', '12']);
    await world.untilCharged(15);
    first.child.kill('SIGKILL');
    const killedAt = Date.now();
    // So that there is a batch to follow when the next command comes.
    await changeRate(world, 'lines', 0.5);
    expect(await world.run(['run', 'lines.csv', '--detach'])).toMatchObject({ code: 0 });
    const back = 300 + (await world.chargedAfter(killedAt + 300));
    const follower = world.start(['run', 'lines.csv']);
    await follower.said('continuing');
    await changeRate(world, 'lines', 60);
    const { code } = await follower.ended;
    // The one that `--detach` started writes the same files.
    await world.untilAlone();
    const end = await expectWhole(world, 'lines', ROWS);
    report('killed, then detached', { msFromKillToNextPaidRequest: back, ...end });
    expect(code).toBe(end.unknown > 0 ? 13 : 0);
  });

  it('up hears of a wish that was written while nobody was there', async () => {
    const first = world.start(['run', 'lines.csv', '--rate', '12']);
    await world.untilCharged(10);
    await changeRate(world, 'lines', 0.5);
    expect(await world.run(['pause'])).toMatchObject({ code: 0 });
    expect(await first.ended).toMatchObject({ code: 75 });
    await changeRate(world, 'lines', 60);
    expect(await world.run(['resume'])).toMatchObject({ code: 0, stderr: saying('It has no worker now') });
    expect(await world.run(['up', '--until-idle'])).toMatchObject({ code: 0 });
    expect(await world.status('lines')).toMatchObject({ state: 'closed', exit: 'complete' });
    expect(await world.run(['results', 'lines'])).toMatchObject({ code: 0 });
    expect(await expectWhole(world, 'lines', ROWS)).toMatchObject({ unknown: 0 });
  });
});
