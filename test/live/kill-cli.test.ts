/** @slow */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { FAULT_POINTS, type FaultPoint } from '../../activities/fault-points.ts';
import { LiveWorld } from '../support/live-world.ts';
import { mixedManifest } from '../support/mixed-manifest.ts';

const ROWS = 200;
const KILLS_PER_MOMENT = 2;
const SUBMITS = 8;
/** Rows at once: a process that is to die at a download may send no more before, however fast it is, so that rows are left for all. */
const WINDOW = 20;
/** One paid request per row; a `dub` makes two. */
const CREATES = ROWS + ROWS / 4;

/** A small seeded generator (mulberry32), so that a failing run can be repeated. */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

describe('SIGKILL of the command line, worker included', () => {
  let world: LiveWorld;

  beforeAll(async () => {
    world = await LiveWorld.create({ seed: 11, createMs: [5, 40], jobMs: [200, 1_000] });
  });
  afterAll(async () => {
    expect(await world.close()).toBeGreaterThan(0);
  });

  it('charges each row and step once and loses nothing, killed in every window', async () => {
    const seed = Number(process.env['VOXBATCH_TEST_SEED'] ?? 20261121);
    const random = seeded(seed);
    await world.write('lines.csv', mixedManifest(ROWS));
    await world.write('voxbatch.config.json', JSON.stringify({ polling: { firstLookMs: 300, gapMs: 300 } }));
    const flags = ['--submits', String(SUBMITS), '--window', String(WINDOW)];
    const run = ['run', 'lines.csv', ...flags];
    const plan = FAULT_POINTS.flatMap((moment) => Array.from({ length: KILLS_PER_MOMENT }, () => moment))
      .map((moment) => ({ moment, order: random() }))
      .sort((a, b) => a.order - b.order);

    const killed = new Map<FaultPoint, number>();
    for (const { moment } of plan) {
      const nth = 1 + Math.floor(random() * 12);
      const { signal, code, stderr } = await world.run(run, { dieAt: `${moment}:${String(nth)}` });
      if (signal === 'SIGKILL') killed.set(moment, (killed.get(moment) ?? 0) + 1);
      else expect({ moment, nth, code, stderr }).toMatchObject({ code: 13 });
      expect(world.doubleCharges()).toEqual([]);
    }
    process.stderr.write(`kills (seed ${String(seed)}): ${JSON.stringify(Object.fromEntries(killed))}\n`);
    for (const moment of FAULT_POINTS) expect(killed.get(moment)).toBeGreaterThanOrEqual(KILLS_PER_MOMENT);

    const last = await world.run(run);
    const results = await world.results('lines');
    const outcomes = [...results.values()].map((row) => String(row['_outcome']));
    const unknown = outcomes.filter((outcome) => outcome === 'unknown').length;
    expect({
      code: last.code,
      rows: results.size,
      others: outcomes.filter((one) => !['succeeded', 'unknown'].includes(one)),
    }).toEqual({
      code: unknown > 0 ? 13 : 0,
      rows: ROWS,
      others: [],
    });
    expect(world.doubleCharges()).toEqual([]);
    expect(unknown).toBeLessThanOrEqual(SUBMITS * plan.length);
    // Every charged step is in the results, or its row is unknown; nothing was charged for anything else.
    expect(world.charges().size).toBeLessThanOrEqual(CREATES);
    expect(world.charges().size).toBeGreaterThanOrEqual(CREATES - 2 * unknown);
    expect(await world.run(['verify', 'out/lines'])).toMatchObject({ code: 0 });

    const before = world.simulator.ledger().length;
    const again = await world.run(run);
    expect(again.code).toBe(last.code);
    expect(world.simulator.ledger()).toHaveLength(before);
  }, 1_800_000);
});
