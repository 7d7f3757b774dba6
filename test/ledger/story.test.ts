/** @slow */
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { RowSnapshot } from '../../ledger/rows/row-records.ts';
import type { RowAttempt } from '../../contract/batch.ts';
import { defined } from '../../contract/defined.ts';
import type { AttemptState } from '../../contract/outcomes.ts';
import { stepsIn } from '../../contract/row-kinds.ts';
import { LedgerMisuse } from '../../ledger/errors.ts';
import type { SettleVerdict } from '../../ledger/requests/settle.ts';
import type { Retake, RowEffect, RowEnding } from '../../ledger/rows/row-effects.ts';
import type { RedriveChoice } from '../../ledger/takes/redrive.ts';
import type { Command } from '../support/row-story/any-story.ts';
import { scaleRuns } from '../support/property-runs.ts';
import type { Book, JobEnd, RowNow } from '../support/row-story/book.ts';
import { anyStory, anyVerifiedStory, EXAMPLES, VERIFIED_EXAMPLES } from '../support/row-story/any-story.ts';
import { choiceOf, NOTHING_SEEN, PRICE, type Rules, type Seen } from '../support/row-story/rules.ts';
import { Story } from '../support/row-story/story.ts';
import { stopForAMoment } from './actions.ts';
import { expectKept } from './recount.ts';
import { aRow, ledger, ledgerForEachTest, load } from './setup.ts';

/** Few enough that requests have to wait for the in-flight limit. */
const MAX_SENDING = 3;

/** A batch of the real ledger, as a story writes in it. */
class LedgerBook implements Book {
  readonly #batch: string;

  constructor(batch: string) {
    this.#batch = batch;
  }

  async look(row: number): Promise<RowNow> {
    const found = await ledger.readRow(this.#batch, row);
    if (found === undefined) throw new Error(`Row ${row} is gone.`);
    return { ...found.row, attempts: found.charges };
  }

  async intend(
    key: RowAttempt,
    price: { readonly quoted: number; readonly quotedRest: number },
  ): Promise<'go' | 'blocked' | 'full' | 'short' | 'over-budget' | 'exists'> {
    const intent = { ...price, owner: 'w', maxSending: MAX_SENDING };
    const asked = this.#standing(ledger.intend({ ...key, batch: this.#batch }, intent));
    const { type: answer } = await orIfMisled(asked, {
      type: 'blocked',
    } as const);
    // No intent of a story has a key.
    if (answer === 'cached' || answer === 'awaited') throw new Error(`Nobody asked for a result: ${answer}.`);
    return answer;
  }

  async revoke(key: RowAttempt): Promise<AttemptState> {
    const nothing = { state: 'revoked' } as const;
    return (await orIfMisled(ledger.revoke({ ...key, batch: this.#batch }), nothing)).state;
  }

  async settle(key: RowAttempt, verdict: SettleVerdict, effect: RowEffect): Promise<boolean> {
    // All stories are of one account, where each job has an id of its own.
    const named = verdict.jobId === undefined ? verdict : { ...verdict, jobId: `${this.#batch} ${verdict.jobId}` };
    return (await this.#standing(ledger.settle({ ...key, batch: this.#batch }, named, effect))).settled;
  }

  async finishJob(key: RowAttempt, { failure, file }: JobEnd, effect: RowEffect): Promise<boolean> {
    const end = defined({ failure, file });
    return (await this.#standing(ledger.finishJob({ ...key, batch: this.#batch }, end, effect))).finished;
  }

  async changeRunning(key: RowAttempt, ending: RowEnding): Promise<void> {
    await this.#standing(ledger.changeRunning({ ...key, batch: this.#batch }, ending));
  }

  async giveUp(key: RowAttempt, ending: RowEnding | Retake): Promise<void> {
    await this.#standing(ledger.giveUp({ ...key, batch: this.#batch }, ending));
  }

  /** What a change says of its row is what a reading right after it says. */
  async #standing<T extends RowSnapshot>(change: Promise<T>): Promise<T> {
    const changed = await change;
    const { row, charges } = changed;
    expect({ row, charges }).toEqual(await ledger.readRow(this.#batch, row.row));
    return changed;
  }

  async cancelRest(): Promise<void> {
    await stopForAMoment(this.#batch);
  }

  /** Asked by two at once, as two terminals would: one of them opens the row. */
  async redrive(choice: RedriveChoice): Promise<boolean> {
    const asked = await Promise.allSettled([this.#ask(choice), this.#ask(choice)]);
    const opened = asked.map((one) => {
      if (one.status === 'fulfilled') return one.value;
      expect(one.reason).toBeInstanceOf(LedgerMisuse);
      return false;
    });
    if (choice.how.type === 'pay') expect(opened).not.toEqual([true, true]);
    return opened.includes(true);
  }

  async #ask(choice: RedriveChoice): Promise<boolean> {
    return (await ledger.redrive(this.#batch, [choice])).rows.length > 0;
  }
}

/** The ledger throws for an attempt without the one before it; a story goes on with another answer that allows nothing. */
async function orIfMisled<T, U>(asked: Promise<T>, otherwise: U): Promise<T | U> {
  try {
    return await asked;
  } catch (error) {
    expect(error).toBeInstanceOf(LedgerMisuse);
    return otherwise;
  }
}

async function makeBatch(name: string, rules: Rules): Promise<void> {
  const rows = rules.kinds.map((kind, index) => {
    const row = aRow(index + 1);
    const choice = choiceOf(rules, kind);
    return { ...row, spec: { ...row.spec, ...choice }, quoted: stepsIn(choice).length * PRICE };
  });
  await load(rows, { name, settings: { budget: rules.budget } });
}

ledgerForEachTest();

let batches = 0;

/** Tells a story in a batch of its own, and returns how often it came by what it is about. */
async function tellStory({ rules, commands }: { rules: Rules; commands: readonly Command[] }): Promise<Seen> {
  const name = `story-${(batches += 1)}`;
  await makeBatch(name, rules);
  const story = new Story(new LedgerBook(name), rules);
  await story.tell(commands);
  await expectKept(ledger, name);
  const { total, outcomes } = await ledger.counts(name);
  expect(Object.values(outcomes).reduce((sum, count) => sum + count, 0)).toBe(total);
  expect(await ledger.closeBatch(name)).toBe(0);
  const { charged, uncertain } = await ledger.money(name);
  expect(charged).toBeLessThanOrEqual(story.taken);
  expect(story.taken).toBeLessThanOrEqual(charged + uncertain);
  return story.seen;
}

describe('a batch of the ledger, in any order of events', () => {
  it.each([
    ['takes no request of a take twice, makes each take once, keeps the budget, and ends', anyStory],
    ['does so where speech is verified and stored files are lost, which are never paid for again', anyVerifiedStory],
  ])('%s', async (_, any) => {
    const property = fc.asyncProperty(any, async (story) => {
      await tellStory(story);
    });
    await fc.assert(property, { numRuns: scaleRuns(40) });
  });

  it('is told by stories that get to what they are about', async () => {
    const seen = { ...NOTHING_SEEN };
    for (const example of [...EXAMPLES, ...VERIFIED_EXAMPLES]) {
      const story = await tellStory(example);
      for (const what of Object.keys(seen) as (keyof Seen)[]) seen[what] += story[what];
    }
    for (const times of Object.values(seen)) expect(times).toBeGreaterThan(0);
  });
});
