/** @slow */
import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { RowSpec } from '../../../contract/row-kinds.ts';
import { scaleRuns } from '../../support/property-runs.ts';
import { BudgetWorld, type Treatment, type Wanted } from './budget-world.ts';
import { expectKept } from '../recount.ts';
import { ledger, ledgerForEachTest } from '../setup.ts';

ledgerForEachTest();

const speech = (length: number, more: Partial<RowSpec> = {}): RowSpec => ({
  ...{ kind: 'tts', text: 'x'.repeat(length), voice: 'v', extra: {} },
  ...more,
});
/** Characters: nothing that is priced, words, lines and pages. */
const aLength = fc.oneof(
  { weight: 1, arbitrary: fc.constant(0) },
  { weight: 3, arbitrary: fc.integer({ min: 1, max: 40 }) },
  { weight: 1, arbitrary: fc.integer({ min: 100, max: 2_000 }) },
);
const aRow = fc.oneof(
  { weight: 3, arbitrary: aLength.map((length) => speech(length)) },
  { weight: 1, arbitrary: aLength.map((length) => speech(length, { dialect: 'legacy' })) },
  {
    weight: 2,
    arbitrary: aLength.map((length) =>
      speech(length, { kind: 'dub', video: 'https://media.example/v.mp4', duration: 4 }),
    ),
  },
  {
    weight: 2,
    arbitrary: fc.array(aLength, { minLength: 2, maxLength: 4 }).map((all) => all.map((one) => speech(one))),
  },
);
const aWanted: fc.Arbitrary<Wanted> = fc.record({
  rows: fc.array(aRow, { minLength: 2, maxLength: 9 }),
  budget: fc.oneof(fc.integer({ min: 5, max: 300 }), fc.integer({ min: 300, max: 3_000 })),
  steady: fc.constantFrom(null, 1, 3, 5),
  least: fc.constantFrom(0, 0, 1, 20),
  retakes: fc.nat(2),
  isEstimate: fc.boolean(),
});
const aTreatment: fc.Arbitrary<Treatment> = fc.record({
  factor: fc.constantFrom(0.2, 1, 1, 3, 8),
  announced: fc.constantFrom(null, 0, 0.02, 1, 3),
  answer: fc.constantFrom('accepts', 'accepts', 'accepts', 'refuses', 'is-lost'),
  job: fc.constantFrom('succeeds', 'succeeds', 'fails'),
});
const anAction = fc.record({
  batch: fc.nat(1),
  what: fc.constantFrom('work', 'work', 'work', 'answer', 'answer', 'endJob', 'kill', 'answerLate'),
  lane: fc.nat(1),
  pick: fc.nat(5),
  treatment: aTreatment,
});
type Action = typeof anAction extends fc.Arbitrary<infer One> ? One : never;

async function act(world: BudgetWorld, { what, lane, pick, treatment }: Action): Promise<void> {
  if (what === 'work') await world.work(lane, pick, treatment);
  else if (what === 'kill') await world.kill(lane);
  else await world[what](pick);
}

/** A story is a thousand transactions. */
const RUNS = 60;

it('budgets of two batches of an account, over several lanes that are killed, are exceeded by no more than the docs admit, and each run comes to its end', async () => {
  let runs = 0;
  const property = fc.asyncProperty(
    fc.tuple(aWanted, aWanted),
    fc.array(anAction, { maxLength: 70 }),
    aTreatment,
    async (wanted, actions, last) => {
      const run = String(++runs);
      const worlds = await Promise.all(
        wanted.map(async (one, index) => {
          const name = `b${run}-${String(index)}`;
          return { name, budget: one.budget, world: await BudgetWorld.make({ ...one, name, account: run }) };
        }),
      );
      for (const action of actions) {
        const meant = worlds[action.batch];
        if (meant !== undefined) await act(meant.world, action);
      }
      for (const { name, world, budget } of worlds) {
        await world.drain({ ...last, answer: 'accepts', job: 'succeeds' });
        expect(await ledger.closeBatch(name)).toBe(0);
        await expectKept(ledger, name);
        expect(world.charged - budget).toBeLessThanOrEqual(world.excess + 1e-6);
      }
    },
  );
  await fc.assert(property, { numRuns: scaleRuns(RUNS) });
});
