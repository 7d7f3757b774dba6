/** @slow */
import { describe, expect, it } from '@jest/globals';
import type { Dependencies } from '../../activities/dependencies.ts';
import { runLane } from '../../activities/lane/run-lane.ts';
import { BUILT_IN_PRICES, OPERATIONS, ofEach, priceIn, type PriceTable } from '../../contract/row-kinds.ts';
import { BATCH, dub, tts } from './rows.ts';
import { createWorld, type World } from './world.ts';

/** A budget where the API charges five times as much as we quote, and tells so only when a job ends. */

const never = new AbortController().signal;
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
function tellsLate({ api }: Dependencies): Partial<Dependencies> {
  const send: Dependencies['api']['send'] = async (...args) => {
    const verdict = await api.send(...args);
    return verdict.verdict === 'accepted' ? { ...verdict, credits: 0 } : verdict;
  };
  return { api: Object.create(api, { send: { value: send } }) as Dependencies['api'] };
}

async function runOut(world: World): Promise<number> {
  const worker = await world.worker({ change: tellsLate });
  const { deps } = worker;
  for (;;) {
    const report = await runLane(deps, { batch: BATCH, lane: 1, lanes: 1, run: 'run' }, never, () => undefined);
    if (report.then === 'idle') break;
  }
  await deps.ledger.closeBatch(BATCH);
  return world.charges().reduce((sum, { credits }) => sum + credits, 0);
}

const NAMED = 'speech.credits=named';

describe('a budget, and an API that charges five times the quote at the end of a job', () => {
  it('is kept by estimated prices: the first jobs tell, before others go', async () => {
    const world = await createWorld({ shape: NAMED, jobMs: [100, 200] });
    const rows = Array.from({ length: 30 }, (_, index) => tts(line(index)));
    await world.fill(rows, { budget: 300, prices: CHEAP });
    expect(await runOut(world)).toBe(300);
    expect((await (await world.look()).counts(BATCH)).outcomes).toMatchObject({ succeeded: 6, skipped: 24 });
  });

  it('is exceeded by stated prices that are wrong, but only by what ran before the first had told', async () => {
    const world = await createWorld({ shape: NAMED, jobMs: [100, 200] });
    await world.fill([tts(line(1)), tts(line(2)), tts(line(3))], { budget: 25, prices: stated(CHEAP) });
    // Two were open when the first told 50: they were counted with 10 each.
    expect(await runOut(world)).toBe(100);
  });

  it('is kept where a job tells its price and gives no link: that is charged, too', async () => {
    const rule = { on: 'read', fault: { kind: 'link-name', name: 'movieUrl' } } as const;
    const world = await createWorld({ shape: NAMED, plan: { rules: [rule] } });
    await world.fill([tts(line(1)), tts(line(2))], { budget: 90, prices: stated(CHEAP) });
    const worker = await world.worker({ change: tellsLate });
    await worker.drive(1);
    expect(await world.row(1)).toMatchObject({ outcome: 'failed', failure: { class: 'ResultGone' } });
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
    const { outcomes } = await (await world.look()).counts(BATCH);
    expect(outcomes.succeeded).toBeGreaterThan(0);
    expect(outcomes.succeeded + outcomes.skipped).toBe(4);
  });
});
