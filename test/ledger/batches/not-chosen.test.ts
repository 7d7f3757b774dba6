import { beforeEach, describe, expect, it } from '@jest/globals';
import { LedgerMisuse } from '../../../ledger/errors.ts';
import type { Ledger } from '../../../ledger/ledger.ts';
import { aBatch, aKey, aRow, claimAnew, INTENT, ledgerForEachTest, redriveNow } from '../setup.ts';
import { expectKept } from '../recount.ts';

const SUBSET = { type: 'limit', rows: 2 } as const;

let ledger: Ledger;
ledgerForEachTest((made) => {
  ledger = made;
});

/** Loads the batch `b` of so many rows, of which the first two are chosen. */
async function load(rows: number): Promise<void> {
  await ledger.createBatch({ ...aBatch(), subset: SUBSET });
  const lines = Array.from({ length: rows }, (_, at) => ({ ...aRow(at + 1), isNotChosen: at >= SUBSET.rows }));
  await ledger.addRows('b', lines);
}

/** Ends the chosen rows, and the batch with them. */
async function endChosen(): Promise<void> {
  for (const { row } of (await claimAnew(ledger)).rows) {
    const key = aKey(row.row, 1, row.take);
    await ledger.intend(key, INTENT);
    await ledger.settle(key, { verdict: 'done', credits: 2 }, { outcome: 'succeeded' });
  }
  expect(await ledger.closeBatch('b')).toBe(0);
}

describe('rows that are not chosen', () => {
  beforeEach(async () => {
    await load(5);
    await ledger.openBatch('b', 5);
  });

  it('have ended from the start, are given to nobody, and do not keep the batch open', async () => {
    expect(await ledger.findBatch('b')).toMatchObject({ subset: SUBSET, rows: 5 });
    expect(await ledger.counts('b')).toMatchObject({ total: 5, notChosen: 3, outcomes: { skipped: 3 } });
    expect((await ledger.readRow('b', 3))?.row).toMatchObject({
      outcome: 'skipped',
      failure: { class: 'NotChosen', message: 'Not chosen by --limit 2. Nothing was sent.' },
      endedAt: null,
    });
    expect(await ledger.intend(aKey(3), INTENT)).toMatchObject({ type: 'blocked' });
    expect((await claimAnew(ledger)).rows.map(({ row }) => row.row)).toEqual([1, 2]);
    await endChosen();
    expect(await ledger.findBatch('b')).toMatchObject({ state: 'closed' });
    expect(await ledger.commonReasons('b', 5)).toEqual([]);
    await expectKept(ledger, 'b');
  });

  it('are opened at their first take, with the closed batch, once, and nothing else is', async () => {
    await endChosen();
    const more = { type: 'limit', rows: 4 } as const;
    expect(await ledger.openUnsent('b', more, [1, 2, 3, 4])).toBe(2);
    expect(await ledger.openUnsent('b', more, [3, 4])).toBe(0);
    expect(await ledger.findBatch('b')).toMatchObject({ state: 'open', subset: more, closedAt: null });
    expect(await ledger.counts('b')).toMatchObject({
      notChosen: 1,
      states: { waiting: 2 },
      outcomes: { succeeded: 2 },
    });
    await expectKept(ledger, 'b');
    await endChosen();
    expect(await ledger.openUnsent('b', null, [5])).toBe(1);
    await endChosen();
    expect(await ledger.counts('b')).toMatchObject({ total: 5, notChosen: 0, outcomes: { succeeded: 5, skipped: 0 } });
    expect(await ledger.findBatch('b')).toMatchObject({ subset: null });
    expect(await ledger.money('b')).toMatchObject({ charged: 10 });
    for (const row of [1, 2, 3, 4, 5]) expect((await ledger.readRow('b', row))?.charges).toHaveLength(1);
    await expectKept(ledger, 'b');
  });

  it('are priced apart from those that the budget skipped, and scanned apart', async () => {
    await ledger.tune('b', { budget: 2.5 });
    await claimAnew(ledger);
    await ledger.intend(aKey(1), INTENT);
    await ledger.settle(aKey(1), { verdict: 'done' }, { outcome: 'succeeded' });
    expect(await ledger.intend(aKey(2), INTENT)).toMatchObject({ type: 'over-budget' });
    expect(await ledger.counts('b')).toMatchObject({ notChosen: 3, outcomes: { skipped: 4 } });
    expect(await ledger.skippedQuotes('b')).toEqual({ overBudget: 2.5, notChosen: 7.5 });
    const scan = async (isNotChosen: boolean): Promise<number[]> => {
      const rows: number[] = [];
      for await (const { row } of ledger.scanRows('b', { outcome: 'skipped', isNotChosen })) rows.push(row.row);
      return rows;
    };
    expect(await scan(true)).toEqual([3, 4, 5]);
    expect(await scan(false)).toEqual([2]);
  });

  it('may be redriven like any row that has ended', async () => {
    await endChosen();
    const how = { type: 'pay', fromStep: 'speech', reason: 'redrive' } as const;
    expect(await redriveNow(ledger, 'b', [{ row: 4, take: 1, how }])).toEqual({ rows: [4], left: [] });
    expect(await ledger.counts('b')).toMatchObject({ notChosen: 2 });
    expect(await ledger.openUnsent('b', null, [3, 4, 5])).toBe(2);
    await expectKept(ledger, 'b');
  });

  it('stay as they are while the batch is being stopped', async () => {
    await ledger.setControl('b', 'stopping');
    await expect(ledger.openUnsent('b', null, [3])).rejects.toThrow(LedgerMisuse);
    await ledger.cancelRest('b');
    expect(await ledger.counts('b')).toMatchObject({ notChosen: 3, outcomes: { cancelled: 2 } });
  });
});

it('a load that was killed leaves no count of rows that are not chosen', async () => {
  await load(4);
  await ledger.discardLoading('b');
  await load(3);
  await ledger.openBatch('b', 3);
  expect(await ledger.counts('b')).toMatchObject({ total: 3, notChosen: 1 });
});
