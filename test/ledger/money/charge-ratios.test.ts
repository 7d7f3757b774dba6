import { describe, expect, it } from '@jest/globals';
import { skippedRows } from '../../../batches/plan/skipped-rows.ts';
import { BUILT_IN_PRICES } from '../../../contract/row-kinds.ts';
import { budgetFor } from '../../../policy/money/budget.ts';
import { sizeOf } from '../../../policy/money/charge-ratio.ts';
import { accept, answer, ask, finish, send, WAITING } from '../actions.ts';
import { batchOf, messageOf, money } from '../readings.ts';
import { aDub, aKey, aRow, ledger, ledgerForEachTest, load, upTo } from '../setup.ts';
import { underBudget } from './budget-steps.ts';

/** A budget whose quotes are wrong: the API tells the real price only when a job ends. Rows are quoted at 10. */

ledgerForEachTest();

const ESTIMATED = { isEstimate: true };

describe('an API that charges more than was quoted', () => {
  it('is held to the budget by the worst charge so far: open jobs count with it', async () => {
    // 50 are charged, and each further job may be: five fit. When the seventh does not fit, neither do others like it.
    await underBudget(
      300,
      30,
      '1 accepted at 0, 1 ended at 50, 2-6 accepted at 0, 7 short, 2-6 ended at 50, 7 over-budget, charged 300, 8-30 skipped',
    );
    expect(await messageOf(7)).toBe(
      'Not sent: it would exceed the budget of 300 credits (300 spent or reserved, this row costs 10, or up to 50 at the prices charged so far). Nothing was charged.',
    );
  });

  it('of another dialect, and so by another operation, leaves rows to be sent that fit', () =>
    underBudget(320, 5, '1 go, 1 done at 200, 2 over-budget, 2 skipped, 5 skipped, 3-4 go', { legacy: [1, 2, 5] }));

  it('goes on with the row that waited once the open ones have cost less', () =>
    underBudget(110, 4, '1-2 accepted, 1 ended at 50, 3 short, 2 ended at 5, 3 go'));

  it('counts what is in doubt with the worst, too, and does not wait for it', () =>
    underBudget(120, 4, '1-2 go, 1 answered, 2 unknown, 1 ended at 50, 3 over-budget'));

  it('does not wait for a job that nobody waits for any longer', () =>
    underBudget(120, 4, '1-2 accepted, 2 overdue, 1 ended at 50, 3 over-budget'));

  it('is known from the account’s last batches under a budget at that price', async () => {
    await underBudget(100, 1, '1 accepted, 1 ended at 50', { name: 'before', ...ESTIMATED });
    await underBudget(100, 10, '1-2 accepted, 3 short', ESTIMATED);
  });

  it('is known from the batch itself if its budget came late', () =>
    underBudget(null, 4, '1-2 accepted, 1 ended at 50, budget 140, 3 short'));

  it('counts a job that was announced as cheaper with its quote until it ends', () =>
    underBudget(25, 4, '1-2 accepted at 1, 3 short, 1 ended, 3 go'));

  it('counts such a job with the worst charge once one has ended', () =>
    underBudget(105, 4, '1-2 accepted at 1, 1 ended at 50, 3 short, 2 ended at 5, 3 go'));

  it('says nothing of another operation: speech at once has prices of its own', () =>
    underBudget(60, 2, '1 accepted, 1 ended at 50, 2 go', { legacy: [2] }));

  it('is the same after a request that was quoted at nothing', () =>
    underBudget(20, [0, 0, 10], '1 accepted, 1 ended at 12, 2 over-budget'));
});

describe('prices that are estimates', () => {
  it('let two requests go under a budget, until one has ended and told its charge', () =>
    underBudget(1_000, 5, '1-2 go, 3 short, 1-2 answered at 0, 3 short, 1 ended at 10, 3-5 go', ESTIMATED));

  it('are told of as long as they hold up the batch', async () => {
    await underBudget(1_000, 5, '1-5 open', ESTIMATED);
    expect(await ledger.stepsWithUnknownCharge('b')).toEqual([]);
    await accept(1);
    expect(await ledger.stepsWithUnknownCharge('b')).toEqual(['speech']);
    await finish(1, { credits: 10 });
    expect(await ledger.stepsWithUnknownCharge('b')).toEqual([]);
  });

  it('let all go once three have ended and the API has told nothing', () =>
    underBudget(1_000, 7, '1 accepted, 1 ended, 2 accepted, 2 ended, 3 accepted, 3 ended, 4-7 go', ESTIMATED));

  it('are not waited for by a job that is stuck, or in doubt', () =>
    underBudget(1_000, 5, '1-2 go, 1 answered, 1 overdue, 2 unknown, 3-4 go, 5 short', ESTIMATED));

  it('hold up nothing without a budget', () => underBudget(null, 5, '1-5 go', ESTIMATED));

  it('keep a second chain from its first step until the last step of one has ended', async () => {
    await load([aDub(1), aDub(2)], { settings: { prices: BUILT_IN_PRICES, budget: 1_000 } });
    const chain = { quoted: 2, quotedRest: 8 };
    const lipSync = aKey(1, 1, 1, 'lip-sync');
    await accept(1, {}, chain);
    await finish(1, { credits: 2 }, WAITING);
    expect(await ask(2, chain)).toBe('short');
    await accept(lipSync, {}, { quoted: 8 });
    await finish(lipSync, { credits: 8 });
    await send(2, chain);
  });
});

/** An API that charges 20 credits at least: "Yes." is quoted at 1 and charged 20, a page is quoted at 200 and charged as much. */
describe('a least charge', () => {
  const PAGES = upTo(9).map(() => 200);

  it('of a word keeps no page from being sent', () =>
    underBudget(3_000, [1, ...PAGES], '1 accepted, 1 ended at 20, 2-10 accepted, 2-10 ended at 200, charged 1820'));

  it('counts for other words', () => underBudget(45, [1, 1, 1], '1 accepted, 1 ended at 20, 2 go, 3 short'));

  it('is added to a page: that may cost as much more', async () => {
    // 20 are charged, and the page may be charged 19 beyond its 200.
    await underBudget(238, [1, 200], '1 accepted, 1 ended at 20, 2 over-budget');
    const room = { isChosen: () => true, left: 218, outlook: await ledger.chargeOutlook('b') };
    const rows = [];
    for await (const { counted, hasRoom } of skippedRows(ledger, await batchOf(), room)) rows.push([counted, hasRoom]);
    expect(rows).toEqual([[219, false]]);
    expect(budgetFor(await money(), 219)).toBe(239);
  });

  it('of a page that is dear counts for words and lines, too', () =>
    underBudget(1_049, [200, 10], '1 accepted, 1 ended at 1000, 2 over-budget'));

  it('tells nothing of pages by estimated prices: two go until one has told', () =>
    underBudget(
      10_000,
      [1, ...PAGES],
      '1 accepted, 1 ended at 20, 2-3 go, 4 short, 2 answered, 2 ended at 200, 4-5 go',
      ESTIMATED,
    ));

  it('does not hold up words while pages are untold', () => underBudget(10_000, [200, 200, 1], '1-3 go', ESTIMATED));
});

describe('what earlier batches were charged', () => {
  it('counts by size, also for sizes that the new batch has not sent', async () => {
    await underBudget(3_000, [1, 10], '1-2 accepted, 1 ended at 20, 2 ended at 50', { name: 'before' });
    // Five times as much as the 16 credits to which its size goes: 64 beyond 200.
    await underBudget(263, [200, 5], '1 over-budget, 2 go');
  });

  it('is forgotten after three batches under a budget, even if nothing fitted into those', async () => {
    await underBudget(3_000, 1, '1 accepted, 1 ended at 2000', { name: 'odd' });
    for (const name of ['one', 'two', 'three']) await underBudget(100, 1, '1 over-budget', { name });
    await underBudget(100, 1, '1 go', { name: 'four' });
  });
});

it('the size of a quote is the same for the database, whether a job ends or its batch is begun later', async () => {
  const quotes = [0, 1e-9, 0.05, 0.25, 0.26, 1, 3.99, 4, 16, 16.01, 200, 4 ** 16, 1e10];
  for (const [name, budget] of [['early', 1e12] as const, ['late', null] as const]) {
    await load(
      upTo(quotes.length + 1).map((row) => aRow(row)),
      { name, settings: { budget } },
    );
    for (const [index, quoted] of quotes.entries()) {
      const key = { ...aKey(index + 1), batch: name };
      await send(key, { quoted });
      await answer(key);
      await finish(key, { credits: 2 * quoted + 1 });
    }
  }
  await ledger.tune('late', { budget: 1e12 });
  await send({ ...aKey(quotes.length + 1), batch: 'late' }, { quoted: 1 });
  const linesOf = async (name: string) =>
    (await ledger.chargeOutlook(name)).ratios.map(({ operation, size, worst, unquoted, told, ended }) => {
      return { operation, size, worst, unquoted, told, ended };
    });
  const early = await linesOf('early');
  expect(new Set(early.map(({ size }) => size))).toEqual(new Set(quotes.map(sizeOf)));
  expect(early.every(({ told }) => told > 0)).toBe(true);
  expect(new Set(await linesOf('late'))).toEqual(new Set(early));
});
