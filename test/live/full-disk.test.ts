/** @slow */
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { describe, expect, it } from '@jest/globals';
import { expectMended, messageOf, openSmallWorld } from '../support/small-batch.ts';
import { replayFolder } from '../support/replay-folder.ts';
import { mountSmallDisk } from '../support/small-disk.ts';
import { waitFor } from '../support/wait-for.ts';

const RUN = ['run', 'lines.csv'];

describe('a disk that becomes full', () => {
  it('or a small limit to files is refused at the start: the same command finishes the batch without it', async () => {
    const world = await openSmallWorld();
    const paying = [RUN, [...RUN, '--detach'], ['up', '--until-idle'], ['say', 'Hello.', '--voice', 'narrator']];
    // The last one lasts beyond a start: answers would be lost.
    for (const [command, kilobytes] of [...paying.map((one) => [one, 32] as const), [RUN, 1_000] as const]) {
      const ended = await world.run(command, { largestFile: kilobytes * 1024 });
      expect({ command, ...ended }).toMatchObject({ code: 4 });
      expect(messageOf(ended)).toMatch(/files only up to .* KB.* Nothing was sent\. Nothing was spent\. .*limit/);
      // Before Temporal's server or the ledger is begun.
      expect(existsSync(world.path('.voxbatch'))).toBe(false);
    }
    const { stdout } = await world.run(['doctor'], { largestFile: 600 * 1024 });
    expect(stdout).toMatch(
      /^BAD +disk .*files only up to 614.4 KB.* (ulimit -f unlimited|LimitFSIZE of a service.*)$/mu,
    );
    expect(world.simulator.ledger()).toEqual([]);
    await expectMended(world, RUN);
  });

  it('in mid-batch, under everything that is kept: no answer is lost, and status says why there is no worker', async () => {
    const world = await openSmallWorld(60);
    const disk = await mountSmallDisk(world.path('disk'), 64 * 1024 * 1024);
    // Without the right to mount, the tests above stand for this one; here the batch then meets no trouble.
    const env = { VOXBATCH_HOME: disk?.path };
    try {
      // Not at its end before the disk is full.
      const running = world.start([...RUN, '--rate', '8'], { env });
      await world.untilCharged(10);
      await disk?.fill();
      const ended = await running.ended;
      expect(ended).toMatchObject({ code: disk === undefined ? 0 : 4 });
      if (disk !== undefined) {
        expect(ended.stderr).toMatch(/Only \d+ MiB are free/);
        expect(messageOf(ended)).toMatch(/disk is full/);
        const { stdout } = await world.run(['status', 'lines'], { env });
        expect(stdout).toMatch(
          /It has no worker. The last worker ended \d+:\d\d ago: .*disk is full.* Continue with: voxbatch run/,
        );
      }
      await disk?.empty();
      const last = await world.run(RUN, { env });
      const unknown = [...(await world.results('lines')).values()].filter(({ _outcome }) => _outcome === 'unknown');
      expect({ ...last, unknown }).toMatchObject({ code: 0, unknown: [] });
      await world.untilAlone();
      if (disk === undefined) return;
      expect(await replayFolder(disk.path)).toBeGreaterThan(0);
      // The disk is gone before the world looks.
      world.forget();
    } finally {
      await disk?.close();
    }
  });

  it('while requests are on their way: status names it for as long as their answers are waited for', async () => {
    const world = await openSmallWorld(60, false, [30_000, 35_000]);
    const disk = await mountSmallDisk(world.path('disk'), 64 * 1024 * 1024);
    // Without the right to mount, the test above stands for this one.
    if (disk === undefined) return;
    const env = { VOXBATCH_HOME: disk.path };
    try {
      const running = world.start(RUN, { env });
      await world.untilCharged(8);
      await disk.fill();
      const status = async (): Promise<string> => (await world.run(['status', 'lines'], { env })).stdout;
      let said = '';
      await waitFor(async () => (said = await status()).includes('disk is full'));
      expect(said).toMatch(/Nothing more is sent; answers on their way are kept[.] .* is full/);
      expect(said).not.toContain('It has no worker');
      const { stdout } = await world.run(['status', 'lines', '--json'], { env });
      expect(stdout).toMatch(/"ledger_full": ?".*disk is full/);
      expect(await running.ended).toMatchObject({ code: 4 });
      // Why the last worker ended says the same.
      expect((await status()).match(/disk is full/g)).toHaveLength(1);
      await disk.empty();
      await world.untilAlone();
      world.forget();
    } finally {
      await disk.close();
    }
  });

  it('that is read-only, under the out folder', async () => {
    const world = await openSmallWorld();
    const disk = await mountSmallDisk(world.path('disk'), 64 * 1024 * 1024);
    const out = world.path('disk', 'out');
    if (disk === undefined) await writeFile(world.path('disk'), 'no folder');
    else await disk.remount('ro');
    try {
      const ended = await world.run([...RUN, '--out', out]);
      expect(ended).toMatchObject({ code: 2 });
      expect(messageOf(ended)).toMatch(/cannot be written.*Choose another with --out.*Nothing was spent/);
      const home = await world.run(RUN, { env: { VOXBATCH_HOME: world.path('disk', 'home') } });
      expect(home).toMatchObject({ code: 4 });
      expect(messageOf(home)).toMatch(/VOXBATCH_HOME.*Nothing was spent/);
      expect(world.simulator.ledger()).toEqual([]);
      await disk?.remount('rw');
      await expectMended(world, disk === undefined ? RUN : [...RUN, '--out', out]);
    } finally {
      await disk?.close();
    }
  });
});
