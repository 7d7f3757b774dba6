import { afterEach, describe, expect, it } from '@jest/globals';
import { expectWhole } from '../support/batch-end.ts';
import { LiveWorld } from '../support/live-world.ts';
import { waitFor } from '../support/wait-for.ts';

const ROWS = 60;
const GAP_MS = 300;
/** Of the list, that are read while all jobs run. */
const PAGES = 40;
const NEVER_MS = 3_600_000;

describe('lip-sync jobs', () => {
  let world: LiveWorld;

  afterEach(async () => {
    await world.close();
  });

  it('are polled by pages of the list while they run', async () => {
    world = await LiveWorld.create({ seed: 71, createMs: [5, 20], jobMs: [NEVER_MS, NEVER_MS] });
    await world.prepare(ROWS, ['lip-sync']);
    const polling = { firstLookMs: GAP_MS, gapMs: GAP_MS };
    await world.write('voxbatch.config.json', JSON.stringify({ polling }));
    const running = world.start(['run', 'lines.csv']);
    await world.untilCharged(ROWS);
    const [before, since] = [await polls(), performance.now()];
    await waitFor(async () => (await polls()).pages >= before.pages + PAGES, undefined, 100);
    const [after, gaps] = [await polls(), (performance.now() - since) / GAP_MS];
    // One by one there would be a poll of each job in each gap; a machine that is slower makes fewer.
    expect(after.pages + after.jobs - before.pages - before.jobs).toBeLessThan((gaps * ROWS) / 2);
    await world.changeSimulator({ jobMs: [0, 0] });
    expect(await running.ended).toMatchObject({ code: 0 });
    expect(await expectWhole(world, 'lines', ROWS)).toMatchObject({ unknown: 0, charges: ROWS });
  });

  async function polls(): Promise<{ readonly pages: number; readonly jobs: number }> {
    const { endpoints } = await world.statistics();
    const count = (name: string): number => Object.values(endpoints[name] ?? {}).reduce((sum, one) => sum + one, 0);
    return { pages: count('GET /media/lip-sync/jobs'), jobs: count('GET /media/lip-sync/jobs/:id') };
  }
});
