/** @slow */
import { describe, expect, it } from '@jest/globals';
import { BUILT_IN_PRICES, OPERATIONS, ofEach, priceIn, type PriceTable } from '../../contract/row-kinds.ts';
import { BATCH, tts, dub } from './rows.ts';
import { createWorld, begin, type World, type WorkerOptions } from './world.ts';

/** A budget where the API charges five times as much as we quote, and tells so only when a job ends. */

/** A fifth of what the simulator charges. */
const CHEAP: PriceTable = ofEach(OPERATIONS, (operation) => {
  const price = priceIn(BUILT_IN_PRICES, operation);
  return { ...price, credits: price.credits / 5 };
});
const stated = (prices: PriceTable): PriceTable =>
  ofEach(OPERATIONS, (operation) => ({ ...priceIn(prices, operation), estimate: false }));
/** 100 characters: 10 credits by these prices, 50 by the simulator's. */
const line = (row: number): string => `${String(row)} `.padEnd(100, 'a');

/** Says 0 when it accepts a job. */
const tellsLate: NonNullable<WorkerOptions['api']> = (api) => ({
  send: async (...args) => {
    const verdict = await api.send(...args);
    return verdict.verdict === 'accepted' ? { ...verdict, credits: 0 } : verdict;
  },
});

async function runOut(world: World): Promise<number> {
  const worker = await world.worker({ api: tellsLate });
  while ((await worker.work()).then !== 'idle');
  await world.ledger.closeBatch(BATCH);
  return world.charges().reduce((sum, { credits }) => sum + credits, 0);
}

const NAMED = 'speech.credits=named';

describe('a budget, and an API that charges five times the quote at the end of a job', () => {
  it('is kept by estimated prices: the first jobs tell, before others go', async () => {
    const world = await createWorld({ shape: NAMED, jobMs: [100, 200] });
    const rows = Array.from({ length: 30 }, (_, index) => tts(line(index)));
    await world.fill(rows, { budget: 300, prices: CHEAP });
    expect(await runOut(world)).toBe(300);
    expect((await world.ledger.counts(BATCH)).outcomes).toMatchObject({ succeeded: 6, skipped: 24 });
  });

  it('is exceeded by stated prices that are wrong, but only by what ran before the first had told', async () => {
    const { world } = await begin([tts(line(1)), tts(line(2)), tts(line(3))], {
      shape: NAMED,
      jobMs: [100, 200],
      wanted: { budget: 25, prices: stated(CHEAP) },
    });
    // Two were open when the first told 50: they were counted with 10 each.
    expect(await runOut(world)).toBe(100);
  });

  it('is kept where a job tells its price and gives no link: that is charged, too', async () => {
    const rule = { on: 'read', fault: { kind: 'link-name', name: 'movieUrl' } } as const;
    const { world, worker } = await begin([tts(line(1)), tts(line(2))], {
      shape: NAMED,
      rules: [rule],
      wanted: { budget: 90, prices: stated(CHEAP) },
      api: tellsLate,
    });
    await worker.drive(1);
    expect(await world.row()).toMatchObject({ outcome: 'failed', failure: { class: 'ResultGone' } });
    expect(await worker.deps.ledger.money(BATCH)).toMatchObject({ charged: 50, estimated: false });
    await worker.drive(2);
    expect((await world.row(2)).outcome).toBe('skipped');
    expect(world.charges()).toHaveLength(1);
  });

  it('ends chains too, whose rows wait for each other’s later steps', async () => {
    const world = await createWorld({ shape: NAMED, jobMs: [20, 50] });
    const rows = [1, 2, 3, 4].map((row) => ({ ...dub(line(row)), duration: 10 }));
    await world.fill(rows, { budget: 1_000, prices: CHEAP });
    expect(await runOut(world)).toBeLessThanOrEqual(1_000);
    const { outcomes } = await world.ledger.counts(BATCH);
    expect(outcomes.succeeded).toBeGreaterThan(0);
    expect(outcomes.succeeded + outcomes.skipped).toBe(4);
  });
});
