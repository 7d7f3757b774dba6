/** @slow */
import { describe, expect, it, jest } from '@jest/globals';
import type { RowSpec } from '../../../contract/row-kinds.ts';
import { sampleFolder, writeSample } from '../../support/samples.ts';
import { waitFor } from '../../support/wait-for.ts';
import { BATCH, keyOf, tts, dub, type Wanted } from '../rows.ts';
import type { Worker } from '../worker.ts';
import { createWorld, type World } from '../world.ts';

/** Rows of a lane that wait for room in the budget, or for the first charge of a step. */

/** Runs the lane of a batch until nothing of it is left. */
async function runOut(worker: Worker): Promise<void> {
  while ((await worker.work()).then !== 'idle');
}

/** A batch of chains whose last row was begun by a worker that is gone: its speech is paid for. */
async function withBegunLast(rows: number, wanted: Wanted): Promise<World> {
  const world = await createWorld();
  const chain = { ...dub('Hello.'), duration: 10 };
  await world.fill(Array.from<typeof chain>({ length: rows }).fill(chain), wanted);
  const gone = await world.worker();
  await gone.submit(keyOf(rows));
  expect((await gone.wait([[rows]])).get(rows)).toMatchObject({ type: 'submit', at: { step: 'lip-sync' } });
  gone.stop();
  return world;
}

describe('rows that wait for room', () => {
  it('keep no begun row out of the window', async () => {
    const world = await withBegunLast(3, { budget: 1_000, limits: { window: 1 } });
    await runOut(await world.worker());
    expect((await world.ledger.counts(BATCH)).outcomes).toMatchObject({ succeeded: 3 });
  });

  it('keep no begun row from being claimed, however many they are', async () => {
    const world = await withBegunLast(150, { budget: 26, limits: { window: 1 } });
    await runOut(await world.worker());
    expect((await world.row(150)).outcome).toBe('succeeded');
    const { outcomes } = await world.ledger.counts(BATCH);
    expect(outcomes.succeeded + outcomes.skipped).toBe(150);
    expect(world.charges().reduce((sum, { credits }) => sum + credits, 0)).toBeLessThanOrEqual(26);
  });

  it('leave the in-flight limit as it was tuned meanwhile', async () => {
    const world = await createWorld();
    const hold = world.holdAt('before-rename');
    await world.fill(
      [1, 2, 3, 4].map((row) => tts(`Row ${String(row)}.`)),
      { budget: 1_000, limits: { submits: 2 } },
    );
    const worker = await world.worker({ atFaultPoint: hold.atFaultPoint });
    const asked = jest.spyOn(worker.deps.inFlightLimits, 'of');
    const running = runOut(worker);
    await hold.reached;
    await world.ledger.tune(BATCH, { limits: { submits: 5 } });
    asked.mockClear();
    hold.release();
    await running;
    expect(new Set(asked.mock.calls.map(([, submits]) => submits))).toEqual(new Set([5]));
  });

  it('let each other ask at once also if they have found an earlier result meanwhile', async () => {
    const world = await createWorld();
    const hold = world.holdAt('after-intent');
    const same = [3, 4, 5, 6].map((row) => tts(`Row ${String(row)}.`));
    await world.fill([tts('One.'), tts('Two.'), ...same], { budget: 1_000, cache: 'on' });
    const worker = await world.worker({ atFaultPoint: hold.atFaultPoint });
    // Nobody asks but those that another lets ask.
    const waiting: (() => void)[] = [];
    const { budgetQueue } = worker.deps;
    jest.spyOn(budgetQueue, 'waitForTurn').mockImplementation(() => new Promise((resolve) => waiting.push(resolve)));
    jest.spyOn(budgetQueue, 'letNextCheck').mockImplementation(() => waiting.shift()?.());
    const running = runOut(worker);
    await waitFor(() => waiting.length === same.length);
    await world.run('other', same);
    budgetQueue.letNextCheck(BATCH);
    await waitFor(async () => (await world.ledger.counts(BATCH)).outcomes.cached === same.length);
    hold.release();
    await running;
    expect((await world.ledger.counts(BATCH)).outcomes).toMatchObject({ succeeded: 2, cached: 4 });
    expect(world.charges()).toHaveLength(6);
  });

  it('look once for the name of the voice that they make, however often they ask', async () => {
    const world = await createWorld();
    const hold = world.holdAt('after-intent');
    const samples = [await writeSample(await sampleFolder(), 'a.wav')];
    const voice = (name: string): RowSpec => ({ kind: 'voice', name, samples, extra: {} });
    await world.fill(['Anna', 'Ben', 'Cleo'].map(voice), { budget: 10_000 });
    const worker = await world.worker({ atFaultPoint: hold.atFaultPoint });
    const asked = jest.spyOn(worker.deps.budgetQueue, 'waitForTurn');
    const running = runOut(worker);
    await waitFor(() => asked.mock.calls.length >= 4);
    const { endpoints } = await world.statistics();
    hold.release();
    await running;
    expect(endpoints['GET /voices']).toEqual({ '200': 3 });
  });
});
