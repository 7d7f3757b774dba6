import { describe, expect, it } from '@jest/globals';
import { skippedRows } from '../../../batches/plan/skipped-rows.ts';
import type { AttemptKey } from '../../../contract/batch.ts';
import { BUILT_IN_PRICES } from '../../../contract/row-kinds.ts';
import type { Ledger } from '../../../ledger/ledger.ts';
import { budgetFor } from '../../../policy/money/budget.ts';
import { sizeOf } from '../../../policy/money/charge-ratio.ts';
import { aBatch, aKey, aRow, INTENT, ledgerForEachTest } from '../setup.ts';

/** An API that charges 20 credits at least: "Yes." is quoted at 1 and charged 20, a page is quoted at 200 and charged as much. */

let ledger: Ledger;
ledgerForEachTest((made) => {
  ledger = made;
});

interface Filled {
  readonly quotes: readonly number[];
  readonly budget: number | null;
  readonly name?: string;
  readonly isEstimate?: boolean;
}

async function fill({ quotes, budget, name = 'b', isEstimate = false }: Filled): Promise<void> {
  const batch = aBatch(name);
  const prices = isEstimate ? BUILT_IN_PRICES : batch.settings.prices;
  await ledger.createBatch({ ...batch, settings: { ...batch.settings, prices, budget } });
  await ledger.addRows(
    name,
    quotes.map((quoted, index) => ({ ...aRow(index + 1), quoted })),
  );
  await ledger.openBatch(name, quotes.length);
}

const keyIn = (name: string, row: number): AttemptKey => ({ ...aKey(row), batch: name });

async function ask(row: number, quoted: number, name = 'b'): Promise<string> {
  return (await ledger.intend(keyIn(name, row), { ...INTENT, maxSending: 256, quoted })).type;
}

async function finish(row: number, credits: number, name = 'b'): Promise<void> {
  const verdict = { verdict: 'accepted', jobId: `${name}${String(row)}` } as const;
  await ledger.settle(keyIn(name, row), verdict, { state: 'processing' });
  await ledger.finishJob(keyIn(name, row), { credits }, { outcome: 'succeeded' });
}

const PAGES = Array.from({ length: 9 }, () => 200);

describe('a least charge', () => {
  it('of a word keeps no page from being sent', async () => {
    await fill({ quotes: [1, ...PAGES], budget: 3_000 });
    expect(await ask(1, 1)).toBe('go');
    await finish(1, 20);
    for (let row = 2; row <= 10; row++) expect(await ask(row, 200)).toBe('go');
    for (let row = 2; row <= 10; row++) await finish(row, 200);
    expect((await ledger.money('b')).charged).toBe(1_820);
  });

  it('counts for other words', async () => {
    await fill({ quotes: [1, 1, 1], budget: 45 });
    expect(await ask(1, 1)).toBe('go');
    await finish(1, 20);
    expect(await ask(2, 1)).toBe('go');
    expect(await ask(3, 1)).toBe('short');
  });

  it('is added to a page: that may cost as much more', async () => {
    await fill({ quotes: [1, 200], budget: 238 });
    expect(await ask(1, 1)).toBe('go');
    await finish(1, 20);
    // 20 are charged, and the page may be charged 19 beyond its 200.
    expect(await ask(2, 200)).toBe('over-budget');
    const batch = await ledger.findBatch('b');
    if (batch === undefined) throw new Error('the batch is gone');
    const room = { isChosen: () => true, left: 218, outlook: await ledger.chargeOutlook('b') };
    const rows = [];
    for await (const { counted, hasRoom } of skippedRows(ledger, batch, room)) rows.push({ counted, hasRoom });
    expect(rows).toEqual([{ counted: 219, hasRoom: false }]);
    expect(budgetFor(await ledger.money('b'), 219)).toBe(239);
  });

  it('of a page that is dear counts for words and lines, too', async () => {
    await fill({ quotes: [200, 10], budget: 1_049 });
    expect(await ask(1, 200)).toBe('go');
    await finish(1, 1_000);
    expect(await ask(2, 10)).toBe('over-budget');
  });

  it('tells nothing of pages by estimated prices: two go until one has told', async () => {
    await fill({ quotes: [1, ...PAGES], budget: 10_000, isEstimate: true });
    expect(await ask(1, 1)).toBe('go');
    await finish(1, 20);
    expect([await ask(2, 200), await ask(3, 200), await ask(4, 200)]).toEqual(['go', 'go', 'short']);
    await finish(2, 200);
    expect([await ask(4, 200), await ask(5, 200)]).toEqual(['go', 'go']);
  });

  it('does not hold up words while pages are untold', async () => {
    await fill({ quotes: [200, 200, 1, 1], budget: 10_000, isEstimate: true });
    expect([await ask(1, 200), await ask(2, 200), await ask(3, 1)]).toEqual(['go', 'go', 'go']);
  });
});

describe('what earlier batches were charged', () => {
  it('counts by size, also for sizes that the new batch has not sent', async () => {
    await fill({ quotes: [1, 10], budget: 3_000, name: 'before' });
    for (const [row, quoted, credits] of [
      [1, 1, 20],
      [2, 10, 50],
    ] as const) {
      expect(await ask(row, quoted, 'before')).toBe('go');
      await finish(row, credits, 'before');
    }
    await fill({ quotes: [200, 5], budget: 263 });
    // Five times as much as the 16 credits to which its size goes: 64 beyond 200.
    expect(await ask(1, 200)).toBe('over-budget');
    expect(await ask(2, 5)).toBe('go');
  });

  it('is forgotten after three batches under a budget, even if nothing fitted into those', async () => {
    await fill({ quotes: [10], budget: 3_000, name: 'odd' });
    expect(await ask(1, 10, 'odd')).toBe('go');
    await finish(1, 2_000, 'odd');
    const answers = [];
    for (const name of ['one', 'two', 'three', 'four']) {
      await fill({ quotes: [10], budget: 100, name });
      answers.push(await ask(1, 10, name));
    }
    expect(answers).toEqual(['over-budget', 'over-budget', 'over-budget', 'go']);
  });
});

describe('the size of a quote', () => {
  it('is the same for the database, whether a job ends or its batch is begun later', async () => {
    const quotes = [0, 1e-9, 0.05, 0.25, 0.26, 1, 3.99, 4, 16, 16.01, 200, 4 ** 16, 1e10];
    for (const [name, budget] of [
      ['early', 1e12],
      ['late', null],
    ] as const) {
      await fill({ quotes: [...quotes, 1], budget, name });
      for (const [index, quoted] of quotes.entries()) {
        expect(await ask(index + 1, quoted, name)).toBe('go');
        await finish(index + 1, 2 * quoted + 1, name);
      }
    }
    await ledger.tune('late', { budget: 1e12 });
    expect(await ask(quotes.length + 1, 1, 'late')).toBe('go');
    const linesOf = async (name: string) =>
      (await ledger.chargeOutlook(name)).ratios.map(({ operation, size, worst, unquoted, told, ended }) => {
        return { operation, size, worst, unquoted, told, ended };
      });
    const early = await linesOf('early');
    expect(new Set(early.map(({ size }) => size))).toEqual(new Set(quotes.map(sizeOf)));
    expect(early.every(({ told }) => told > 0)).toBe(true);
    expect(new Set(await linesOf('late'))).toEqual(new Set(early));
  });
});
