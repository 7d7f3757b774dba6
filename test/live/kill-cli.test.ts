/** @slow */
import { expect, it } from '@jest/globals';
import { FAULT_POINTS, type FaultPoint } from '../../activities/fault-points.ts';
import { seeded } from '../chaos/seeded.ts';
import { expectWhole } from '../support/batch-end.ts';
import { LiveWorld } from '../support/live-world.ts';

const ROWS = 200;
const KILLS_PER_MOMENT = 2;
const SUBMITS = 8;
/** Rows at once: a process that is to die at a download may send no more before, however fast it is, so that rows are left for all. */
const WINDOW = 20;

it('SIGKILL of the command line, worker included, charges each row and step once and loses nothing, killed in every window', async () => {
  const seed = Number(process.env['VOXBATCH_TEST_SEED'] ?? 20261121);
  const random = seeded(seed);
  const config = { polling: { firstLookMs: 300, gapMs: 300 } };
  const world = await LiveWorld.open({ seed: 11, createMs: [5, 40], jobMs: [200, 1_000], rows: ROWS, config });
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
  const { unknown } = await expectWhole(world, 'lines', ROWS);
  expect(last.code).toBe(unknown > 0 ? 13 : 0);
  expect(unknown).toBeLessThanOrEqual(SUBMITS * plan.length);
  const before = world.simulator.ledger().length;
  const again = await world.run(run);
  expect(again.code).toBe(last.code);
  expect(world.simulator.ledger()).toHaveLength(before);
}, 1_800_000);
