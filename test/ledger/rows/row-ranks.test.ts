import { describe, expect, it } from '@jest/globals';
import { RowRanks } from '../../../client/rows/row-ranks.ts';
import type { RowFilter } from '../../../ledger/rows/row-filter.ts';
import { MAX_RANKED, type RankedRow, type RankOrder } from '../../../ledger/rows/row-ranks.ts';
import { fail, FILE, succeed } from '../actions.ts';
import { aRow, ledger, ledgerForEachTest, load, partsOf } from '../setup.ts';

ledgerForEachTest();

const HIGHEST = { by: 'price', isLargestFirst: true } as const;
const LONGEST = { by: 'length', isLargestFirst: true } as const;

/** Rows 1 to 6 with these quotes; those of even numbers ended with sounds of these lengths, and row 5 failed. */
async function loadPriced(): Promise<void> {
  await load([3, 1, null, 2, 3, 1].map((quoted, at) => ({ ...aRow(at + 1), quoted })));
  for (const [row, seconds] of [
    [2, 10],
    [4, 9.5],
    [6, 10],
  ] as const)
    await succeed(row, undefined, { ...FILE, seconds });
  await fail(5);
}

/** The numbers of all rows in an order, page by page. */
async function ranked(order: RankOrder, filter: RowFilter = {}, most = 2): Promise<number[]> {
  const ranks = new RowRanks();
  const rows: number[] = [];
  for (let after: RankedRow | undefined, isEnd = false; !isEnd;) {
    const page = await ranks.page(ledger, 'b', { filter, order, after }, most);
    rows.push(...page.rows.map(({ row }) => row));
    after = page.last;
    isEnd = page.then === 'end';
  }
  return rows;
}

describe('rows without an index for their order', () => {
  it('come by their quotes, lengths and ends, the same ones in manifest order, without those that have none', async () => {
    await loadPriced();
    expect(await ranked(HIGHEST)).toEqual([1, 5, 4, 2, 6]);
    expect(await ranked({ ...HIGHEST, isLargestFirst: false })).toEqual([2, 6, 4, 1, 5]);
    expect(await ranked(LONGEST)).toEqual([2, 6, 4]);
    expect(await ranked({ ...LONGEST, isLargestFirst: false })).toEqual([4, 2, 6]);
    const ended = await ranked({ by: 'end', isLargestFirst: true });
    expect(ended.toSorted()).toEqual([2, 4, 5, 6]);
    expect(await ranked(HIGHEST, { outcome: 'open' })).toEqual([1]);
    expect(await ranked(HIGHEST, { class: 'JobFailed' })).toEqual([5]);
    expect(await ranked(HIGHEST, { idPrefix: 'r4' })).toEqual([4]);
  });

  it('have no parts of rows', async () => {
    await load([{ ...aRow(1), parts: partsOf(2, 'one', 'two') }]);
    expect(await ranked(HIGHEST)).toEqual([1]);
  });

  it('are compared with those of before, and follow a row from which a ranking was begun', async () => {
    await loadPriced();
    const before = { rows: [{ row: 1, value: 3 }], next: 3 };
    expect(await ledger.rankRows('b', {}, HIGHEST, { before })).toEqual({
      rows: [
        { row: 1, value: 3 },
        { row: 5, value: 3 },
        { row: 4, value: 2 },
        { row: 6, value: 1 },
      ],
      next: undefined,
    });
    const { rows } = await ledger.rankRows('b', {}, HIGHEST, { after: { row: 1, value: 3 } });
    expect(rows.map(({ row }) => row)).toEqual([5, 4, 2, 6]);
    // A full ranking takes only what belongs before its last row.
    const full = Array.from({ length: MAX_RANKED }, (_, at) => ({ row: at - MAX_RANKED, value: at === 0 ? 9 : 2 }));
    const merged = await ledger.rankRows('b', {}, HIGHEST, { before: { rows: full, next: 0 } });
    expect(merged.rows.slice(0, 4).map(({ row }) => row)).toEqual([-MAX_RANKED, 1, 5, 1 - MAX_RANKED]);
    expect(merged.rows.length).toBe(MAX_RANKED);
  });
});

it('pages of a ranking are found among what was ranked before, until the batch has gone on', async () => {
  await loadPriced();
  let rankings = 0;
  const counting = {
    counts: ledger.counts.bind(ledger),
    rowsNumbered: ledger.rowsNumbered.bind(ledger),
    rankRows: async (...given: Parameters<typeof ledger.rankRows>) => {
      rankings += 1;
      return ledger.rankRows(...given);
    },
  };
  const ranks = new RowRanks();
  const page = (after?: RankedRow) => ranks.page(counting, 'b', { filter: {}, order: HIGHEST, after }, 2);
  const { last } = await page();
  const second = await page(last);
  expect(second.rows.map(({ row }) => row)).toEqual([4, 2]);
  expect((await page(second.last)).then).toBe('end');
  expect(rankings).toBe(1);
});
