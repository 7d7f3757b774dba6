/** @slow */
import { describe, expect, it } from '@jest/globals';
import { expectWhole } from '../support/batch-end.ts';
import { untilRecorded } from '../support/batch-record.ts';
import { LiveWorld, type WorldOptions } from '../support/live-world.ts';

const ROWS = 60;
const KINDS = ['tts', 'lip-sync'];
const OPTIONS: WorldOptions = { seed: 62, createMs: [20, 200], jobMs: [2_000, 3_000], rows: ROWS, kinds: KINDS };

describe('tuning a batch that runs', () => {
  it('window: lanes get their new share, up and down', async () => {
    const world = await LiveWorld.open({ ...OPTIONS, server: true });
    const running = world.start(['run', 'lines.csv', '--window', '2']);
    await world.untilCharged(4);
    const inFlight = async (): Promise<number> => (await world.status('lines')).states['processing'] ?? 0;
    expect(await inFlight()).toBeLessThanOrEqual(2);
    expect(await world.run(['tune', '--window', '40'])).toMatchObject({ code: 0 });
    await untilRecorded(world, 'lines', (_, { states }) => states.processing > 4);
    expect(await world.run(['tune', '--window', '2', '--submits', '1'])).toMatchObject({ code: 0 });
    expect(await running.ended).toMatchObject({ code: 0 });
    expect(await expectWhole(world, 'lines', ROWS)).toMatchObject({ unknown: 0, charges: ROWS });
  });

  it('two people steer at once, all the time: no error, no lost change, nothing paid twice', async () => {
    const world = await LiveWorld.open(OPTIONS);
    const running = world.start(['run', 'lines.csv', '--rate', '0.2', '--assume-seconds', '3', '--detach']);
    expect(await running.ended).toMatchObject({ code: 0 });
    await world.untilCharged(2);
    let tuned = 0;
    while (tuned < 3) {
      tuned += 1;
      const both = [
        ['pause', 'lines'],
        ['tune', '--budget', String(100_000 + tuned)],
        ['resume', 'lines'],
        ['tune', '--poll-rate', String(100 + tuned), '--json'],
      ];
      const ends = await Promise.all(both.map((words) => world.run(words)));
      expect(ends.map(({ code, stderr }) => (code === 0 ? 0 : stderr))).toEqual([0, 0, 0, 0]);
    }
    expect(await world.run(['tune', '--rate', '40'])).toMatchObject({ code: 0 });
    for (let twice = 0; twice < 2; twice++) expect(await world.run(['resume'])).toMatchObject({ code: 0 });
    const { stdout } = await world.run(['tune', '--json']);
    const tunedBatch = JSON.parse(stdout) as { readonly state: string; readonly control: string | null };
    expect(tunedBatch).toMatchObject({ budget: 100_003, limits: { rate: 40, poll_rate: 103 } });
    expect(tunedBatch.control).toBe(tunedBatch.state === 'closed' ? null : 'running');
    expect(await world.run(['run', 'lines.csv', '--yes'])).toMatchObject({ code: 0 });
    // The one that `--detach` started ends by itself; until then it may write the same files.
    await world.untilAlone();
    expect(await expectWhole(world, 'lines', ROWS)).toMatchObject({ unknown: 0, charges: ROWS });
  });
});
