/** @slow */
import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { AttemptState, Outcome, VerdictName } from '../../contract/outcomes.ts';
import { LedgerMisuse } from '../../ledger/errors.ts';
import type { RowEffect } from '../../ledger/rows/row-effects.ts';
import { RESUBMIT, stopForAMoment } from './actions.ts';
import { aKey, fill, INTENT, ledger, ledgerForEachTest, redriveNow } from './setup.ts';
import { scaleRuns } from '../support/property-runs.ts';

/**
 * Random stories of one row, told by callers that follow no order: late, twice, with keys of the past and of the future. After
 * each step the ledger must still hold what makes a second charge impossible.
 */

type Key = readonly [take: number, attempt: number];

type Command =
  | { readonly do: 'intend' | 'revoke'; readonly at: Key }
  | { readonly do: 'settle'; readonly at: Key; readonly verdict: VerdictName; readonly effect: RowEffect }
  | { readonly do: 'finish'; readonly at: Key; readonly effect: RowEffect }
  | { readonly do: 'cancel' | 'close' | 'redrive' };

const at: fc.Arbitrary<Key> = fc.oneof(
  { weight: 4, arbitrary: fc.tuple(fc.constant(1), fc.integer({ min: 1, max: 3 })) },
  { weight: 1, arbitrary: fc.tuple(fc.constant(2), fc.integer({ min: 1, max: 2 })) },
);
const effect = fc.oneof<fc.WeightedArbitrary<RowEffect>[]>(
  { weight: 4, arbitrary: fc.constantFrom<RowEffect>({ state: 'waiting' }, { state: 'processing' }) },
  {
    weight: 1,
    arbitrary: fc.constantFrom<RowEffect>({ outcome: 'succeeded' }, { outcome: 'failed' }, { outcome: 'unknown' }),
  },
);
const verdict = fc.oneof<fc.WeightedArbitrary<VerdictName>[]>(
  { weight: 3, arbitrary: fc.constant<VerdictName>('not-accepted') },
  { weight: 2, arbitrary: fc.constantFrom<VerdictName>('accepted', 'done', 'rejected', 'unknown') },
);

const command: fc.Arbitrary<Command> = fc.oneof(
  { weight: 5, arbitrary: fc.record({ do: fc.constant('intend' as const), at }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('revoke' as const), at }) },
  { weight: 5, arbitrary: fc.record({ do: fc.constant('settle' as const), at, verdict, effect }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('finish' as const), at, effect }) },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constantFrom('cancel' as const, 'close' as const, 'redrive' as const) }),
  },
);

/** A story that gets to a second take, so that what is checked of takes is checked in each run, whatever the seed. */
const TAKEN_AGAIN: readonly Command[] = [
  { do: 'intend', at: [1, 1] },
  { do: 'settle', at: [1, 1], verdict: 'rejected', effect: { outcome: 'failed' } },
  { do: 'redrive' },
  { do: 'intend', at: [2, 1] },
  { do: 'intend', at: [1, 2] },
];

interface Look {
  readonly states: ReadonlyMap<string, AttemptState>;
  readonly outcome: Outcome | null;
  readonly take: number;
}

/** Whether this attempt is the next of the row, and so the one that may be made, or revoked. */
function isNext({ states, take: present }: Look, [take, attempt]: Key): boolean {
  if (take !== present || (attempt > 1 && !states.has(`${take}.${attempt - 1}`))) return false;
  for (const [key, state] of states) {
    const [otherTake = 0, otherAttempt = 0] = key.split('.').map(Number);
    if (otherTake > take || (otherTake === take && otherAttempt >= attempt)) return false;
    if (otherTake === take && state !== 'not-accepted' && state !== 'revoked') return false;
    if (state === 'sending') return false;
  }
  return true;
}

async function look(batch: string): Promise<Look> {
  const found = await ledger.readRow(batch, 1);
  if (found === undefined) throw new Error('The row is gone.');
  return {
    states: new Map(found.charges.map(({ take, attempt, state }) => [`${take}.${attempt}`, state])),
    outcome: found.row.outcome,
    take: found.row.take,
  };
}

/** Carries the command out. Nonsense (a verdict without an intent, attempt 2 without attempt 1) is refused by throwing. */
async function run(batch: string, step: Command): Promise<string> {
  const key = 'at' in step ? { ...aKey(1, step.at[1], step.at[0]), batch } : aKey(1);
  try {
    switch (step.do) {
      case 'intend':
        return (await ledger.intend(key, INTENT)).type;
      case 'revoke':
        return (await ledger.revoke(key)).state;
      case 'settle':
        return String((await ledger.settle(key, { verdict: step.verdict }, step.effect)).settled);
      case 'finish':
        return String((await ledger.finishJob(key, {}, step.effect)).finished);
      case 'cancel':
        return String(await stopForAMoment(batch));
      case 'close':
        return String(await ledger.closeBatch(batch));
      case 'redrive': {
        const take = (await ledger.readRow(batch, 1))?.row.take ?? 1;
        return String((await redriveNow(ledger, batch, [{ row: 1, take, how: RESUBMIT }])).rows.length === 1);
      }
    }
  } catch (error) {
    expect(error).toBeInstanceOf(LedgerMisuse);
    return 'misuse';
  }
}

ledgerForEachTest();

it('a row of the ledger is sent where that is its next attempt, never twice, ends once, and is always counted', async () => {
  let stories = 0;
  let goes = 0;
  let takes = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(command, { minLength: 5, maxLength: 25 }), async (commands) => {
      const batch = `b${(stories += 1)}`;
      await fill(ledger, 2, batch);
      for (const step of commands) {
        const before = await look(batch);
        const answer = await run(batch, step);
        const after = await look(batch);
        if (step.do === 'intend') expect(answer === 'go').toBe(isNext(before, step.at) && before.outcome === null);
        if (step.do === 'revoke' && isNext(before, step.at)) expect(answer).toBe('revoked');
        if (step.do === 'redrive' && answer === 'true') {
          expect(before.outcome).not.toBeNull();
          expect(after).toMatchObject({ take: before.take + 1, outcome: null });
          takes += 1;
        } else if (step.do === 'intend' && answer === 'go') {
          goes += 1;
          expect(after.states.get(step.at.join('.'))).toBe('sending');
        } else if (step.do === 'intend' || answer === 'misuse' || answer === 'false') {
          expect(after).toEqual(before);
        }
        for (const [key, state] of before.states) {
          if (state !== 'sending' && state !== 'unknown') expect(after.states.get(key)).toBe(state);
        }
        if (before.outcome !== null && before.outcome !== 'unknown' && before.take === after.take)
          expect(after.outcome).toBe(before.outcome);
        const { total, states, outcomes } = await ledger.counts(batch);
        const sum = [...Object.values(states), ...Object.values(outcomes)].reduce((a, b) => a + b, 0);
        expect([total, sum]).toEqual([2, 2]);
        if ((await ledger.findBatch(batch))?.state === 'closed') expect(after.outcome).not.toBeNull();
      }
    }),
    { numRuns: scaleRuns(100), examples: [[[...TAKEN_AGAIN]]] },
  );
  // The stories must have got somewhere.
  expect(Math.min(goes, takes)).toBeGreaterThan(0);
});
