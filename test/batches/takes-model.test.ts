/** @slow */
import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { AttemptKey } from '../../contract/batch.ts';
import { hasResult } from '../../contract/outcomes.ts';
import { stepsIn, type Step } from '../../contract/row-kinds.ts';
import { attemptOfFile } from '../../policy/redrive/lost-file.ts';
import { lastAttempt, presentTake, stepsFrom } from '../../policy/rows/row-machine.ts';
import { scaleRuns } from '../support/property-runs.ts';
import { TakesWorld, type Luck } from './takes-world.ts';

/**
 * Two rows that get takes, go back to earlier ones and forth, lose files and answers, and whose process is killed, in any
 * order. The API's side counts what was accepted.
 */

/** What a person, the API or the machine does. `luck`: of the moves that the row's lane makes after it. */
type Happening = { readonly row: number; readonly luck: readonly Luck[] } & (
  | { readonly type: 'work' | 'repair' | 'reopen' | 'doubt' }
  | { readonly type: 'again'; readonly isLast: boolean; readonly resubmit: boolean }
  | { readonly type: 'accept' | 'adopt' | 'release' | 'not-charged' | 'lose'; readonly take: number }
);

const WELL: readonly Luck[] = ['well', 'well', 'well', 'well', 'well'];

const some = {
  // Mostly the same row, so that one happening meets what another has left.
  row: fc.constantFrom(1, 2, 2),
  luck: fc.oneof(
    { weight: 5, arbitrary: fc.constant(WELL) },
    { weight: 2, arbitrary: fc.constant(['answer-lost'] as const) },
    {
      weight: 2,
      arbitrary: fc.array(fc.constantFrom<Luck[]>('well', 'well', 'fails', 'answer-lost', 'dies'), { maxLength: 6 }),
    },
  ),
};
const take = fc.constantFrom(1, 1, 2, 2, 3, 4);
const ofTake = fc.constantFrom('adopt' as const, 'release' as const, 'not-charged' as const, 'lose' as const);
const happening: fc.Arbitrary<Happening> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      ...some,
      type: fc.constant('again' as const),
      isLast: fc.boolean(),
      resubmit: fc.boolean(),
    }),
  },
  { weight: 5, arbitrary: fc.record({ ...some, type: fc.constant('accept' as const), take }) },
  { weight: 5, arbitrary: fc.record({ ...some, type: ofTake, take }) },
  {
    weight: 2,
    arbitrary: fc.record({
      ...some,
      type: fc.constantFrom('work' as const, 'repair' as const, 'reopen' as const, 'doubt' as const),
    }),
  },
);

/** The result of the take that a row went back to is lost and paid for again: it had used an earlier take's speech. */
const LOST_AFTER_GOING_BACK: readonly Happening[] = [
  { type: 'again', row: 2, isLast: false, resubmit: false, luck: WELL },
  { type: 'again', row: 2, isLast: true, resubmit: false, luck: WELL },
  { type: 'again', row: 2, isLast: false, resubmit: false, luck: ['answer-lost'] },
  { type: 'accept', row: 2, take: 3, luck: WELL },
  { type: 'lose', row: 2, take: 3, luck: WELL },
  { type: 'again', row: 2, isLast: false, resubmit: true, luck: WELL },
];

/** A job that a person gave to a take is taken back while the row keeps its result for the case that the next brings none. */
const KEPT_AND_TAKEN_BACK: readonly Happening[] = [
  { type: 'doubt', row: 2, luck: WELL },
  { type: 'again', row: 2, isLast: false, resubmit: false, luck: ['answer-lost'] },
  { type: 'release', row: 2, take: 2, luck: WELL },
  { type: 'adopt', row: 2, take: 3, luck: ['fails'] },
];

async function happen(world: TakesWorld, what: Happening): Promise<void> {
  switch (what.type) {
    case 'work':
      return;
    case 'again':
      return payAgain(world, what);
    case 'accept':
      return accept(world, what.row, what.take);
    case 'adopt':
      return world.adopt(what.row, what.take);
    case 'release':
      return release(world, what.row, what.take);
    case 'not-charged':
      return world.notCharged(what.row, what.take);
    case 'lose':
      return world.lose(what.row, what.take);
    case 'repair': {
      const draft = await world.redrive(what.row, { damaged: true });
      expect(draft?.resubmitted ?? 0).toBe(0);
      return;
    }
    case 'doubt': {
      // The answer to a new take is lost, and a person names its job.
      await payAgain(world, { ...what, type: 'again', isLast: true, resubmit: false });
      await world.work(what.row, ['answer-lost']);
      return world.adopt(what.row, (await world.standing(what.row)).row.take);
    }
    case 'reopen':
      return world.reopen();
  }
}

/** Nothing in doubt is paid for again unless the person has said so. */
async function payAgain(world: TakesWorld, what: Extract<Happening, { type: 'again' }>): Promise<void> {
  const { row: before, charges } = await world.standing(what.row);
  const step: Step = what.row === 1 ? 'speech' : 'lip-sync';
  const draft = await world.redrive(what.row, what.isLast && !what.resubmit ? { step } : { resubmit: what.resubmit });
  const [from] = draft?.pays.keys() ?? [];
  if (from === undefined || what.resubmit) return;
  const last = stepsFrom(before.spec, from).map((one) => lastAttempt(charges, one)?.state);
  expect(last).not.toContain('unknown');
  expect(last).not.toContain('sending');
}

/** The row has the result of that take, or fetches it. */
async function accept(world: TakesWorld, of: number, to: number): Promise<void> {
  const { row: before } = await world.standing(of);
  if (to > before.take) return;
  const draft = await world.redrive(of, { accept: true }, to);
  if (draft === undefined) return;
  expect(draft).toMatchObject({ accepts: 1, paying: 0 });
  const { row: now } = await world.standing(of);
  expect(now.take).toBe(before.take);
  if (now.outcome === null) expect(draft.refetched).toBe(1);
  else expect({ at: presentTake(now), isLost: world.lost.has(now.file?.key ?? '') }).toEqual({ at: to, isLost: false });
}

/** What is taken back from another take changes nothing of the row. */
async function release(world: TakesWorld, of: number, to: number): Promise<void> {
  const { row: before } = await world.standing(of);
  if ((await world.release(of, to)) && presentTake(before) !== to) {
    const { row: now } = await world.standing(of);
    expect([now.outcome, now.file]).toEqual([before.outcome, before.file]);
  }
}

async function expectSound(world: TakesWorld): Promise<void> {
  const names = world.accepted.map(({ row: of, step, take: at }: AttemptKey) => `${of}/${step}/${at}`);
  expect(new Set(names).size).toBe(names.length);
  const { total, states, outcomes } = await world.ledger.counts('b');
  const counted = [...Object.values(states), ...Object.values(outcomes)].reduce((sum, n) => sum + n, 0);
  expect({ total, counted }).toEqual({ total: 2, counted: 2 });
  for (const number of [1, 2]) {
    const found = await world.standing(number);
    expect(found.row.take).toBe(world.paid.get(number));
    if (!hasResult(found.row.outcome)) continue;
    const { file } = found.row;
    const made = attemptOfFile(found.charges, file?.key);
    expect(made?.step).toBe(stepsIn(found.row.spec).at(-1));
    if (found.row.returnedTo !== null) expect(made?.take).toBe(found.row.returnedTo);
  }
}

it('a row has the result of the take that it says, and pays for no take twice', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(happening, { minLength: 4, maxLength: 16 }), async (happenings) => {
      const world = await TakesWorld.create();
      try {
        for (const number of [1, 2]) await world.work(number, WELL);
        for (const what of happenings) {
          await happen(world, what);
          await expectSound(world);
          await world.work(what.row, what.luck);
          await expectSound(world);
        }
      } finally {
        await world.end();
      }
    }),
    { numRuns: scaleRuns(60), examples: [[[...LOST_AFTER_GOING_BACK]], [[...KEPT_AND_TAKEN_BACK]]] },
  );
});
