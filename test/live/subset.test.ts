import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { expectWhole } from '../support/batch-end.ts';
import { LiveWorld } from '../support/live-world.ts';

const ROWS = 100;

describe('a sample of a manifest, then all of it', () => {
  let world: LiveWorld;

  beforeEach(async () => {
    world = await LiveWorld.withServer({ seed: 10, createMs: [5, 20], jobMs: [50, 200] });
    await world.prepare(ROWS, ['tts']);
  });
  afterEach(async () => {
    await world.close();
  });

  it('pays for the sample, then for the others, and for no row twice', async () => {
    const sampled = await world.run(['run', 'lines.csv', '--sample', '10', '--yes']);
    expect(sampled).toMatchObject({ code: 0 });
    expect(sampled.stderr).toContain('Batch "lines": 10 of 100 rows');
    expect(sampled.stderr).toMatch(
      /90 rows not chosen\. To send them, for about [\d,.]+ credits: voxbatch run lines\.csv\n/,
    );
    expect(world.charges().size).toBe(10);
    expect(await world.status('lines')).toMatchObject({
      exit: 'complete',
      rows: ROWS,
      outcomes: { succeeded: 10, skipped: 90 },
      not_chosen: 90,
    });
    expect(await world.run(['verify', 'out/lines'])).toMatchObject({ code: 0 });
    const first = [...(await world.results('lines')).values()].filter((row) => row['_outcome'] === 'succeeded');

    // The same command means the same rows, and a larger sample all of them.
    expect(await world.run(['run', 'lines.csv', '--sample', '10'])).toMatchObject({ code: 0 });
    expect(world.charges().size).toBe(10);
    const larger = await world.run(['run', 'lines.csv', '--sample', '25', '--confirm', '0', '--yes']);
    expect(larger).toMatchObject({ code: 0, stderr: expect.stringContaining('15 rows more to send') });
    expect(world.charges().size).toBe(25);

    // What would cost more than may be spent unasked changes nothing.
    expect(await world.run(['run', 'lines.csv', '--confirm', '0'])).toMatchObject({ code: 3 });
    expect(await world.status('lines')).toMatchObject({ state: 'closed', not_chosen: 75 });

    expect(await world.run(['run', 'lines.csv', '--confirm', '0', '--yes'])).toMatchObject({ code: 0 });
    expect(await expectWhole(world, 'lines', ROWS)).toMatchObject({ unknown: 0, charges: ROWS });
    const results = await world.results('lines');
    for (const row of first) expect(results.get(String(row['id']))).toEqual(row);
  });
});
