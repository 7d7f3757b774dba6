import { afterEach, describe, expect, it } from '@jest/globals';
import { expectWhole } from '../support/batch-end.ts';
import { LiveWorld } from '../support/live-world.ts';

const ROWS = 60;

describe('lip-sync jobs', () => {
  let world: LiveWorld;

  afterEach(async () => {
    await world.close();
  });

  it('are polled by pages of the list while they run', async () => {
    world = await LiveWorld.create({ seed: 71, createMs: [5, 20], jobMs: [2_500, 3_500] });
    await world.prepare(ROWS, ['lip-sync']);
    const polling = { firstLookMs: 300, gapMs: 300 };
    await world.write('voxbatch.config.json', JSON.stringify({ polling }));
    expect(await world.run(['run', 'lines.csv'])).toMatchObject({ code: 0 });
    expect(await expectWhole(world, 'lines', ROWS)).toMatchObject({ unknown: 0, charges: ROWS });
    const { endpoints } = await world.statistics();
    const count = (name: string): number => Object.values(endpoints[name] ?? {}).reduce((sum, one) => sum + one, 0);
    const [pages, jobs] = [count('GET /media/lip-sync/jobs'), count('GET /media/lip-sync/jobs/:id')];
    expect(pages).toBeGreaterThan(0);
    // One by one there would be ten polls each job.
    expect(pages + jobs).toBeLessThanOrEqual(5 * ROWS);
  });
});
