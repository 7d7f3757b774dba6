/** @slow */
import { afterEach, describe, expect, it } from '@jest/globals';
import { expectWhole } from '../support/batch-end.ts';
import { LiveWorld } from '../support/live-world.ts';

const ROWS = 40;

describe('a 429 is three things with three answers', () => {
  let world: LiveWorld;

  afterEach(async () => {
    await world.close();
  });

  async function start(options: Parameters<typeof LiveWorld.withServer>[0]): Promise<void> {
    world = await LiveWorld.withServer({ seed: 61, createMs: [5, 20], ...options });
    await world.prepare(ROWS, ['tts']);
  }

  /** Requests that the simulator refused, whatever for. */
  async function refusals(): Promise<number> {
    const { endpoints } = await world.statistics();
    return Object.values(endpoints).reduce((sum, statuses) => sum + (statuses['429'] ?? 0), 0);
  }

  it('too fast: everybody slows down, and all rows go through', async () => {
    // As slow as no machine is: a few requests go out together at the start.
    await start({ rate: 4, jobMs: [100, 300] });
    expect(await world.run(['run', 'lines.csv'])).toMatchObject({ code: 0 });
    expect(await expectWhole(world, 'lines', ROWS)).toMatchObject({ unknown: 0, charges: ROWS });
    expect(await refusals()).toBeGreaterThan(0);
  });

  it('too many jobs at once: new requests wait for running jobs, and the pace stays', async () => {
    await start({ concurrency: 4, jobMs: [1_500, 2_000] });
    expect(await world.run(['run', 'lines.csv'])).toMatchObject({ code: 0 });
    expect(await expectWhole(world, 'lines', ROWS)).toMatchObject({ unknown: 0, charges: ROWS });
    // Refused are those that were on the wire together, and now and then one that tries for more.
    const refused = await refusals();
    expect(refused).toBeGreaterThan(0);
    expect(refused).toBeLessThan(ROWS);
  });

  it('no credits, as older paths of the API say it: the batch pauses (12), and goes on when it is topped up', async () => {
    await start({ jobMs: [100, 300] });
    const fault = { kind: 'status', status: 429, message: 'Insufficient credits' } as const;
    await world.changePlan({ rules: [{ on: 'create', fault }] });
    const short = await world.run(['run', 'lines.csv']);
    expect(short).toMatchObject({ code: 12 });
    expect(short.stderr).toMatch(/paused: out of credits .*429.*Insufficient credits/);
    expect(world.simulator.ledger()).toEqual([]);
    await world.changePlan({});
    expect(await world.run(['run', 'lines.csv'])).toMatchObject({ code: 0 });
    expect(await expectWhole(world, 'lines', ROWS)).toMatchObject({ unknown: 0, charges: ROWS });
  });
});
